#include "server/api/api.h"

#include <algorithm>

#include "base/text.h"
#include "server/api/call.h"

namespace holdfast::api {

namespace {

/// The page loads scripts and other content only from this server, and other pages cannot frame it.
constexpr std::string_view page_policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src "
    "'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Returns the client of a route that is served even while the store hangs. Only a client that is unknown costs a
/// read of the store, and only while the store answers.
Caller recalled(Services& services, const http::Request& request) {
    if (auto known = services.access.recall(request, services.parts.store_is_out())) return *std::move(known);
    if (services.parts.store_is_out()) throw Unavailable("the store does not answer, so the client cannot be known");
    return services.access.identify(request);
}

/// A route without a scope leaves the caller unidentified; its handler identifies the client where it matters.
Caller caller_of(Services& services, const http::Request& request, const Route& route, std::string& name) {
    if (!route.scope) return {.peer = request.peer};
    Caller caller = route.answers_without_store ? recalled(services, request) : services.access.identify(request);
    name = caller.name;
    caller.require(*route.scope);
    if (route.needs_all_queues) caller.require_all_queues();
    return caller;
}

bool is_read(const http::Request& request) {
    return request.method == "GET" || request.method == "HEAD";
}

http::Response asset_answer(const PageAsset& asset) {
    http::Response response{.content_type = asset.content_type, .embedded = asset.bytes};
    response.headers.emplace_back("cache-control",
                                  asset.immutable ? "public, max-age=31536000, immutable" : "no-cache");
    response.headers.emplace_back("content-security-policy", page_policy);
    if (!asset.encoding.empty()) response.headers.emplace_back("content-encoding", asset.encoding);
    response.headers.emplace_back("vary", "accept-encoding");
    return response;
}

/// An answer without a cache rule of its own gets no-cache: the browser may keep it, but revalidates it each time.
http::Reply asked_for_each_time(http::Reply reply) {
    auto* response = std::get_if<http::Response>(&reply);
    const auto is_rule = [](const auto& header) { return header.first == "cache-control"; };
    if (response != nullptr && std::ranges::none_of(response->headers, is_rule))
        response->headers.emplace_back("cache-control", "no-cache");
    return reply;
}

/// The page routes its own views: "/jobs/01a1" and "/catalog/tasks/a.b" are served its start file, "/assets/gone.js"
/// and "/robots.txt" are not.
bool may_be_a_view(const http::Request& request) {
    if (request.path.empty()) return true;
    if (request.path.size() > 1) return request.path.front() != "assets" && !request.path.front().starts_with('.');
    return request.path.front().find('.') == std::string::npos;
}

}  // namespace

Api::Api(ApiParts parts, Random& random, Log& log)
    : services_(std::make_unique<Services>(std::move(parts), random, log)) {}

Api::~Api() = default;

void Api::end_streams(const std::string& why) {
    services_->live.end_streams(why);
    services_->work_streams.end(why);
}

void Api::look(store::Store& store) {
    services_->access.look(store);
}

http::Reply Api::handle(const http::Request& request, std::string& caller) {
    try {
        return asked_for_each_time(answer_or_throw(request, caller));
    } catch (const std::exception& failure) {
        const auto problem = problem_of(failure);
        const bool is_of_store = dynamic_cast<const StoreError*>(&failure) != nullptr;
        // The server reports the outage itself, once.
        const bool is_of_outage = is_of_store && services_->parts.store_is_out();
        if (!problem || is_of_store)
            services_->log.write({!problem       ? LogLevel::Error
                                  : is_of_outage ? LogLevel::Debug
                                                 : LogLevel::Warning,
                                  concat("A request could not be answered: ", failure.what()),
                                  {{"method", request.method}, {"path", "/" + join(request.path, "/")}}});
        return problem ? problem->response()
                       : Problem("INTERNAL", "the server made a mistake; its log says which").response();
    }
}

http::Reply Api::answer_or_throw(const http::Request& request, std::string& name) {
    if (belongs_to_page(request)) return page_or_throw(request);
    RouteMatch match = match_route(request.method, request.path);
    const Route& route = *match.route;
    Caller caller = caller_of(*services_, request, route, name);
    Call call(*services_, request, std::move(match), std::move(caller), name);
    return route.handler(call);
}

http::Reply Api::page_or_throw(const http::Request& request) const {
    if (!is_read(request)) throw Problem("NO_SUCH_ROUTE", "only routes under /api take anything but GET");
    const auto& page = services_->parts.page;
    const std::string_view encodings = request.header("accept-encoding");
    auto asset = page("/" + join(request.path, "/"), encodings);
    if (!asset && may_be_a_view(request)) asset = page("/", encodings);
    if (!asset) throw Problem("NO_SUCH_ROUTE", concat("there is no /", join(request.path, "/")));
    return asset_answer(*asset);
}

}  // namespace holdfast::api
