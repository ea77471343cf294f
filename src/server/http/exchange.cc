#include "server/http/exchange.h"

#include <stdexcept>

#include "base/text.h"
#include "server/http/problem.h"

namespace holdfast::http {

namespace {

std::string line_of(const Request& request) {
    return concat(request.method, " /", join(request.path, "/"));
}

void tell(const Exchange& exchange, int status, const ServerParams& params, Log& log) {
    const auto took = std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - exchange.began);
    try {
        params.answered(exchange.request, status, took);
    } catch (const std::exception& error) {
        log.write({LogLevel::Error, "an answered request could not be counted", {{"error", error.what()}}});
    }
}

Answer internal_error(const Exchange& exchange, const char* what, Log& log) {
    log.write({LogLevel::Error,
               "a request failed by a defect of the server",
               {{"request", line_of(exchange.request)}, {"peer", exchange.request.peer}, {"error", what}}});
    Response response = to_response({.status = 500,
                                     .code = "INTERNAL",
                                     .detail = "the request failed by a defect of the server; its log says more"});
    return to_answer(std::move(response), exchange.terms);
}

using Outcome = decltype(Exchange::outcome);

/// Calls the handler and serializes its response; a stream or a deferred reply is passed on.
Outcome outcome_of(Exchange& exchange, const ServerParams& params) {
    Reply reply = params.handle(exchange.request);
    if (auto* stream = std::get_if<EventStream>(&reply)) {
        if (stream->source == nullptr) throw std::logic_error("a stream without a source");
        if (!exchange.terms.head_only) return std::move(*stream);
        reply = Response{.content_type = "text/event-stream"};
    }
    if (auto* deferred = std::get_if<Deferred>(&reply)) {
        if (deferred->reply == nullptr) throw std::logic_error("an answer that never comes");
        return std::move(*deferred);
    }
    return to_answer(std::move(std::get<Response>(reply)), exchange.request, exchange.terms);
}

}  // namespace

void carry_out(Exchange& exchange, const ServerParams& params, Log& log) {
    try {
        exchange.outcome = outcome_of(exchange, params);
    } catch (const std::exception& error) {
        exchange.outcome = internal_error(exchange, error.what(), log);
    } catch (...) {
        exchange.outcome = internal_error(exchange, "of an unknown kind", log);
    }
    if (std::holds_alternative<Deferred>(exchange.outcome)) return;
    const auto* answer = std::get_if<Answer>(&exchange.outcome);
    tell(exchange, answer != nullptr ? answer->status : 200, params, log);
}

Answer answer_with(Response response, const Exchange& exchange, const ServerParams& params, Log& log) {
    tell(exchange, response.status, params, log);
    return to_answer(std::move(response), exchange.terms);
}

}  // namespace holdfast::http
