#include "server/api/call.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "core/json_text.h"
#include "core/workflow/workflow.h"
#include "store/admission.h"
#include "views/audit.h"

namespace holdfast::api {

namespace {

// ---- The query ----------------------------------------------------------------------------------

std::string upper_case(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return text;
}

Value number_or_text(const std::string& text) {
    std::int64_t number = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (fault == std::errc() && end == text.data() + text.size()) return number;
    return text;
}

/// Returns a parameter as a value of the type that its schema requires; the text itself when it does not convert.
Value read_parameter(const std::string& text, const Json& schema) {
    const std::string type = schema.value("type", "string");
    if (type == "integer") return number_or_text(text);
    if (type == "boolean" && (text == "true" || text == "false")) return text == "true";
    if (type != "array") return text;
    Value words = Value::array();
    for (const std::string_view word : split(text, ','))
        words.push_back(upper_case(std::string(word)));  // states, in any letter case
    return words;
}

Fault unknown_parameter(const Route& route, const std::string& name) {
    std::vector<std::string> known;
    for (const Parameter& each : route.query) known.push_back(each.name);
    return {"?" + name, known.empty() ? "is not known: this route takes no parameters" : unknown(name, known)};
}

Value read_query(const Route& route, const http::Request& request, std::vector<Fault>& faults) {
    Value query = Value::object();
    for (const auto& [name, text] : request.query) {
        const auto parameter = std::ranges::find(route.query, name, &Parameter::name);
        if (parameter == route.query.end()) {
            faults.push_back(unknown_parameter(route, name));
            continue;
        }
        query[name] = read_parameter(text, parameter->schema);
        for (Fault& fault : schema::faults_of(query[name], parameter->schema, schemas(), "?" + name))
            faults.push_back(std::move(fault));
    }
    return query;
}

// ---- The body -----------------------------------------------------------------------------------

bool is_json_type(std::string_view content_type) {
    const std::string type = lower_case(trimmed(content_type.substr(0, content_type.find(';'))));
    return type == "application/json" || (type.starts_with("application/") && type.ends_with("+json"));
}

[[noreturn]] void refuse_body(const core::JsonFault& fault) {
    if (fault.where.empty()) throw Problem("BAD_REQUEST", concat("the body ", fault.problem));
    throw Problem("BAD_PARAMETER", concat(fault.where, " ", fault.problem), {{fault.where, fault.problem}});
}

void require_json(const http::Request& request) {
    if (!is_json_type(request.header("content-type")))
        throw Problem("NOT_JSON", "send the body as JSON, with the header 'content-type: application/json'");
    if (store::json_nesting(request.body) > store::max_json_nesting)
        throw Problem("BAD_REQUEST", concat("the body is nested deeper than ", store::max_json_nesting, " levels"));
    if (const auto fault = core::json_fault(request.body)) refuse_body(*fault);
}

/// The handler of a batch checks the items one by one, so that a bad item does not affect the others.
bool is_batch(const Value& body) {
    return body.is_object() && body.contains("tasks");
}

Value read_body(const Route& route, const http::Request& request, std::vector<Fault>& faults) {
    if (request.body.empty() && (route.body.empty() || !schemas().at(route.body).contains("required")))
        return Value::object();
    require_json(request);
    if (route.lane == http::Lane::Work) return Value::object();  // many and large: their handlers read them once
    Value body = Value::parse(request.body);
    if (route.body.empty()) {
        if (!body.is_object() || !body.empty()) faults.push_back({"", "this route takes no body"});
        return body;
    }
    const std::string wanted =
        route.body == "TaskSubmissions" ? (is_batch(body) ? "TaskBatchFrame" : "TaskSubmission") : route.body;
    for (Fault& fault : schema::faults_of(body, schemas().at(wanted), schemas())) faults.push_back(std::move(fault));
    return body;
}

std::string sentence_of(const std::vector<Fault>& faults) {
    const Fault& first = faults.front();
    const std::string subject = first.where.empty() ? "the body" : first.where;
    const std::string more = faults.size() == 1 ? "" : concat(" (and ", faults.size() - 1, " more)");
    return concat(subject, " ", first.detail, more);
}

// ---- The catalog --------------------------------------------------------------------------------

using SharedConfig = std::shared_ptr<const config::Config>;
SharedConfig with_catalog_of(const store::Queues& queues, SharedConfig config) {
    if (queues.empty()) return config;
    auto limited = std::make_shared<config::Config>(*config);
    std::erase_if(limited->tasks,
                  [&](const auto& task) { return std::ranges::count(queues, task.second.options.queue) == 0; });
    std::erase_if(limited->workflows, [&](const auto& workflow) {
        return !core::belongs_to(core::queues_of(core::bundle_of(workflow.first, config->workflows)), queues);
    });
    return limited;
}

}  // namespace

Services::Services(ApiParts given_parts, Random& random_port, Log& log_port)
    : parts(std::move(given_parts)),
      random(random_port),
      log(log_port),
      stores(parts.open_store, parts.connections),
      access(parts.login, parts.hosts, stores),
      counts(parts.statistics_kept),
      live(parts, access, counts, log_port),
      work_streams(parts, access, log_port) {}

std::optional<Duration> length_in(const Value& object, const std::string& name) {
    const auto text = given<std::string>(object, name);
    return text ? parse_duration(*text, std::chrono::seconds(1)) : std::nullopt;
}

Uuid id_in(const Value& object) {
    return Uuid::parse(text_in(object, "id")).value_or(Uuid());
}

Call::Call(Services& its_services, const http::Request& its_request, RouteMatch match, Caller its_caller,
           std::string& caller_name)
    : services(its_services),
      request(its_request),
      route(*match.route),
      caller(std::move(its_caller)),
      match_(std::move(match)),
      caller_name_(caller_name) {
    std::vector<Fault> faults;
    query = read_query(route, request, faults);
    if (route.method != "GET") body = read_body(route, request, faults);
    if (faults.empty()) return;
    std::string sentence = sentence_of(faults);
    throw Problem("BAD_PARAMETER", std::move(sentence), std::move(faults));
}

Caller Call::identify() {
    Caller known = services.access.identify(request);
    note_caller(known);
    return known;
}

store::Store& Call::store() {
    store::Store& whole = whole_store();
    if (caller.queues.empty()) return whole;
    if (!view_) view_.emplace(whole, caller.queues);
    return *view_;
}

store::Store& Call::whole_store() {
    if (!lent_) lent_ = services.stores.lend();
    return *lent_;
}

const config::Config& Call::config() {
    if (!config_) config_ = with_catalog_of(caller.queues, services.parts.config());
    return *config_;
}

Duration Call::patience() const {
    constexpr Duration usual = std::chrono::seconds(30), longest = std::chrono::minutes(1);
    return std::min(length("timeout").value_or(usual), longest);
}

void Call::note_order(std::string kind, std::string message, const Json& after, const Uuid& task) {
    store().append_event(views::order_event(std::move(kind), caller.who(), std::move(message), after, task));
}

std::optional<std::int64_t> last_event_id(const http::Request& request) {
    const Value id = number_or_text(std::string(request.header("last-event-id")));
    if (!id.is_number_integer() || id < 0) return std::nullopt;
    return id.get<std::int64_t>();
}

}  // namespace holdfast::api
