#include "server/http/problem.h"

#include <array>
#include <nlohmann/json.hpp>

namespace holdfast::http {

namespace {

struct Reason {
    int status;
    std::string_view text;
};

constexpr std::array reasons = {
    Reason{100, "Continue"},
    Reason{200, "OK"},
    Reason{201, "Created"},
    Reason{202, "Accepted"},
    Reason{204, "No Content"},
    Reason{301, "Moved Permanently"},
    Reason{302, "Found"},
    Reason{303, "See Other"},
    Reason{304, "Not Modified"},
    Reason{307, "Temporary Redirect"},
    Reason{308, "Permanent Redirect"},
    Reason{400, "Bad Request"},
    Reason{401, "Unauthorized"},
    Reason{403, "Forbidden"},
    Reason{404, "Not Found"},
    Reason{405, "Method Not Allowed"},
    Reason{406, "Not Acceptable"},
    Reason{408, "Request Timeout"},
    Reason{409, "Conflict"},
    Reason{410, "Gone"},
    Reason{412, "Precondition Failed"},
    Reason{413, "Content Too Large"},
    Reason{414, "URI Too Long"},
    Reason{415, "Unsupported Media Type"},
    Reason{417, "Expectation Failed"},
    Reason{422, "Unprocessable Content"},
    Reason{429, "Too Many Requests"},
    Reason{431, "Request Header Fields Too Large"},
    Reason{500, "Internal Server Error"},
    Reason{501, "Not Implemented"},
    Reason{503, "Service Unavailable"},
};

}  // namespace

std::string_view reason_of(int status) {
    for (const Reason& reason : reasons)
        if (reason.status == status) return reason.text;
    return "Error";
}

Response to_response(const Problem& problem) {
    nlohmann::ordered_json body;
    body["type"] = "about:blank";
    body["title"] = reason_of(problem.status);
    body["status"] = problem.status;
    body["detail"] = problem.detail;
    body["code"] = problem.code;
    Response response;
    response.status = problem.status;
    response.content_type = "application/problem+json";
    response.body = body.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    return response;
}

Response to_response(const Problem& problem, int retry_after_seconds) {
    Response response = to_response(problem);
    response.headers.emplace_back("Retry-After", std::to_string(retry_after_seconds));
    return response;
}

}  // namespace holdfast::http
