#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include <nlohmann/json.hpp>

#include "holdfast/result.h"
#include "holdfast/task.h"
#include "holdfast/task_info.h"

namespace holdfast {

/// For tasks that take no arguments or return nothing: `Task<Nothing, Report> nightly{"nightly"};`. JSON null.
struct Nothing {
    friend bool operator==(const Nothing&, const Nothing&) = default;
    friend void to_json(nlohmann::json& json, const Nothing&) { json = nullptr; }
    friend void from_json(const nlohmann::json&, Nothing&) {}
};

/// A type that nlohmann-json converts both ways: a standard type, or one with to_json and from_json
/// (NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE writes both).
template <typename T>
concept JsonValue = std::same_as<T, nlohmann::json> || requires(nlohmann::json& json, T& value) {
    nlohmann::adl_serializer<T>::to_json(json, std::as_const(value));
    nlohmann::adl_serializer<T>::from_json(std::as_const(json), value);
};

/// A task's name with the types of its arguments and its result, declared once and shared by the code that submits it
/// and the code that runs it:
///
///     inline const holdfast::Task<ResizeArgs, ResizeResult> resize{"resize"};
///
/// Submitting anything but a ResizeArgs to it does not compile.
template <JsonValue ArgsType, JsonValue ResultType>
class Task {
public:
    using Args = ArgsType;
    using ResultValue = ResultType;

    explicit Task(std::string name) : name_(std::move(name)) {}
    [[nodiscard]] const std::string& name() const { return name_; }

private:
    std::string name_;
};

/// A submitted task, and the type of what it will return.
template <JsonValue ResultType>
struct TaskHandle {
    Uuid id;
    /// The limit of its concurrency key that was in force at the submit; unset: it has no key, or was not asked for.
    std::optional<int> concurrency_limit = {};
};

/// What an ended task returned, or why it returned nothing: FAILED, CANCELLED and EXPIRED are all errors with a code.
/// Throws WrongState while the task has not ended.
[[nodiscard]] Result<nlohmann::json, TaskError> result_of(const TaskInfo& task);

/// The same, as a value of the type that the task was declared with. A result that is not of that type (the task was
/// declared differently where it ran) is an error with the code RESULT_NOT_READABLE and the result as its data.
template <JsonValue ResultType>
[[nodiscard]] Result<ResultType, TaskError> result_as(const TaskInfo& task) {
    Result<nlohmann::json, TaskError> json = result_of(task);
    if (!json) return Failure{std::move(json).error()};
    try {
        return json.value().template get<ResultType>();
    } catch (const nlohmann::json::exception& mismatch) {
        return Failure{TaskError{std::string(error_code::result_not_readable), mismatch.what(), task.result}};
    }
}

}  // namespace holdfast
