#include "server/api/answers.h"

#include <algorithm>

#include "base/assert.h"
#include "base/text.h"
#include "holdfast/errors.h"

namespace holdfast::api {

namespace {

Problem unavailable(std::string_view advice) {
    return Problem("STORE_UNAVAILABLE", concat("the store cannot be used right now; ", advice))
        .with_header("retry-after", "2");
}

Problem from_store(const StoreError& failure) {
    if (dynamic_cast<const CommitInDoubt*>(&failure) != nullptr)
        return unavailable("this may or may not have been done: make the same call again, with the same id");
    if (dynamic_cast<const Unavailable*>(&failure) != nullptr)
        return unavailable("nothing was changed: try again in a moment");
    return unavailable("nothing was changed: an operator must look at it; the server's log says why");
}

}  // namespace

http::Response answer(const Json& body, int status) {
    return {.status = status, .body = views::dump(body)};
}

http::Response answer_list(Json items, Json next) {
    return answer({{"items", std::move(items)}, {"next", std::move(next)}});
}

http::Response steered(const Uuid& id, std::string_view status) {
    return answer({{"id", id.to_string()}, {"status", status}});
}

const std::vector<ProblemKind>& problem_kinds() {
    static const std::vector<ProblemKind> kinds = {
        {"BAD_REQUEST", 400, "The request cannot be read"},
        {"BAD_PARAMETER", 400, "Something in the request is not as it should be"},
        {"PROTOCOL_MISMATCH", 400, "Worker and server speak different versions of their protocol"},
        {"NO_TOKEN", 401, "A token is needed"},
        {"BAD_TOKEN", 401, "The token is not valid"},
        {"FORBIDDEN", 403, "The token does not allow this"},
        {"CROSS_SITE", 403, "The request comes from another site"},
        {"NOT_FOUND", 404, "Not found"},
        {"NO_SUCH_ROUTE", 404, "No such route"},
        {"UNKNOWN_WORKER", 404, "No such worker behind a server"},
        {"METHOD_NOT_ALLOWED", 405, "The route does not know this method"},
        {"CONFLICT", 409, "Things are not in the state for this"},
        {"PAYLOAD_MISMATCH", 409, "The id belongs to something else"},
        {"TOO_OLD", 410, "The id is older than what is kept"},
        {"TOO_LARGE", 413, "The body is too large"},
        {"TARGET_TOO_LONG", 414, "The address is too long"},
        {"NOT_JSON", 415, "The body is not JSON"},
        {"REFUSED", 422, "Understood, but not valid"},
        {"TOO_MANY_REQUESTS", 429, "Too many requests"},
        {"HEADERS_TOO_LARGE", 431, "The headers are too large"},
        {"INTERNAL", 500, "A defect of the server"},
        {"OVERLOADED", 503, "Too much to do at the moment"},
        {"STORE_UNAVAILABLE", 503, "The store cannot be reached"},
    };
    return kinds;
}

Problem::Problem(std::string_view code, std::string detail, std::vector<Fault> faults)
    : detail_(std::move(detail)), faults_(std::move(faults)) {
    const auto kind = std::ranges::find(problem_kinds(), code, &ProblemKind::code);
    HOLDFAST_ASSERT(kind != problem_kinds().end());
    kind_ = *kind;
}

http::Response Problem::response() const {
    Json body = {{"type", concat("/api/docs#", kind_.code)},
                 {"title", kind_.title},
                 {"status", kind_.status},
                 {"detail", detail_},
                 {"code", kind_.code}};
    for (const Fault& fault : faults_) body["errors"].push_back({{"where", fault.where}, {"detail", fault.detail}});
    http::Response response = answer(body, kind_.status);
    response.content_type = "application/problem+json";
    response.headers = headers_;
    return response;
}

std::optional<Problem> problem_of(const std::exception& failure) {
    if (const auto* problem = dynamic_cast<const Problem*>(&failure)) return *problem;
    if (const auto* store = dynamic_cast<const StoreError*>(&failure)) return from_store(*store);
    if (dynamic_cast<const UnknownTask*>(&failure) != nullptr || dynamic_cast<const UnknownJob*>(&failure) != nullptr)
        return Problem("NOT_FOUND", failure.what());
    if (dynamic_cast<const PayloadMismatch*>(&failure) != nullptr) return Problem("PAYLOAD_MISMATCH", failure.what());
    if (dynamic_cast<const WrongState*>(&failure) != nullptr) return Problem("CONFLICT", failure.what());
    if (dynamic_cast<const BadInput*>(&failure) != nullptr) return Problem("REFUSED", failure.what());
    return std::nullopt;
}

void refuse_gone(std::string_view kind, const Uuid& id) {
    throw Problem("NOT_FOUND", concat(kind, " ", id.to_string(), " is not there any more"));
}

void refuse_ended(std::string_view kind, const Uuid& id) {
    throw Problem("CONFLICT", concat(kind, " ", id.to_string(),
                                     " had ended before; nothing was changed. A retry would be a new ", kind));
}

std::string suggestion(const std::string& name, const std::vector<std::string>& known) {
    const auto meant = nearest_word(name, known);
    return meant ? concat("; did you mean ", *meant, "?") : "";
}

std::string unknown(const std::string& name, const std::vector<std::string>& known) {
    const std::string meant = suggestion(name, known);
    return concat("is not known", meant.empty() ? concat("; there are: ", join(known, ", ")) : meant);
}

}  // namespace holdfast::api
