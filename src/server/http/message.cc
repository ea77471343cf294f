#include "server/http/message.h"

#include <algorithm>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/status.hpp>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace holdfast::http {

std::string_view Request::header(std::string_view name) const {
    const auto found = std::ranges::find(headers, name, &Headers::value_type::first);
    return found == headers.end() ? std::string_view() : std::string_view(found->second);
}

std::optional<std::string> Request::parameter(const std::string& name) const {
    const auto found = query.find(name);
    return found == query.end() ? std::nullopt : std::optional(found->second);
}

void DeferredReply::complete(Response response) {
    std::function<void()> wake;
    {
        const std::lock_guard lock(mutex_);
        if (std::exchange(completed_, true)) return;
        response_ = std::move(response);
        wake = std::exchange(wake_, nullptr);
    }
    if (wake) wake();
}

void DeferredReply::on_complete(std::function<void()> wake) {
    {
        const std::lock_guard lock(mutex_);
        if (!completed_) {
            wake_ = std::move(wake);
            return;
        }
    }
    wake();
}

std::optional<Response> DeferredReply::take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(response_, std::nullopt);
}

std::string_view reason_of(int status) {
    namespace beast_http = boost::beast::http;
    // Beast knows these two by their names before RFC 9110.
    if (status == 413) return "Content Too Large";
    if (status == 422) return "Unprocessable Content";
    const beast_http::status known = beast_http::int_to_status(static_cast<unsigned>(status));
    if (known == beast_http::status::unknown) return "Error";
    return beast_http::obsolete_reason(known);
}

Response to_response(const Problem& problem, std::optional<int> retry_after_seconds) {
    const nlohmann::ordered_json body = {{"type", "about:blank"},
                                         {"title", reason_of(problem.status)},
                                         {"status", problem.status},
                                         {"detail", problem.detail},
                                         {"code", problem.code}};
    Response response;
    response.status = problem.status;
    response.content_type = "application/problem+json";
    response.body = body.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    if (retry_after_seconds) response.headers.emplace_back("Retry-After", std::to_string(*retry_after_seconds));
    return response;
}

bool accepts_encoding(std::string_view accept_encoding, std::string_view encoding) {
    return std::ranges::any_of(split(accept_encoding, ','), [&](std::string_view element) {
        const std::vector<std::string_view> parts = split(element, ';');
        if (!boost::beast::iequals(trimmed(parts.front()), encoding)) return false;
        const std::string_view weight = trimmed(parts.back());
        return !weight.starts_with("q=0") || weight.find_first_of("123456789") != std::string_view::npos;
    });
}

}  // namespace holdfast::http
