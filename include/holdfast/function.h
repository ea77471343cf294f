#pragma once

#include <concepts>
#include <functional>
#include <map>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include <nlohmann/json.hpp>

#include "holdfast/context.h"
#include "holdfast/result.h"
#include "holdfast/task.h"
#include "holdfast/typed_task.h"

namespace holdfast {

/// What a function task executes: JSON in, JSON or an error out. What it throws becomes TASK_EXCEPTION.
using Function = std::function<Result<nlohmann::json, TaskError>(Context&, const nlohmann::json& args)>;

/// The functions that a worker can run, by the names of their tasks.
using FunctionTable = std::map<std::string, Function>;

namespace detail {

using DecodeArgs = std::function<void(const nlohmann::json& args)>;
/// ARGS_NOT_READABLE with the path of the member that `decode` cannot read: "args.items[2].price: expected a number,
/// got a string". Calls `decode` again and again with changed copies of the arguments, which it has refused.
[[nodiscard]] TaskError unreadable_args(const nlohmann::json& args, const DecodeArgs& decode);

template <typename Args>
Result<Args, TaskError> read_args(const nlohmann::json& json) {
    try {
        return json.get<Args>();
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception&) {
        return Failure{unreadable_args(json, [](const nlohmann::json& changed) { (void)changed.get<Args>(); })};
    }
}

template <typename Value>
Result<nlohmann::json, TaskError> to_outcome(Value&& value) {
    return nlohmann::json(std::forward<Value>(value));
}
template <typename Value>
Result<nlohmann::json, TaskError> to_outcome(Result<Value, TaskError>&& result) {
    if (!result) return Failure{std::move(result).error()};
    return nlohmann::json(std::move(result).value());
}

template <typename Args, typename Callable>
decltype(auto) call(Callable& callable, Context& context, Args&& args) {
    if constexpr (std::invocable<Callable&, Context&, Args>) {
        return callable(context, std::forward<Args>(args));
    } else {
        static_assert(std::invocable<Callable&, Args>,
                      "a task's function takes (const Args&) or (Context&, const Args&)");
        return callable(std::forward<Args>(args));
    }
}

}  // namespace detail

/// Makes the function of a typed task from `fn(const Args&)` or `fn(Context&, const Args&)`, which returns a
/// ResultType, a Result<ResultType, TaskError>, or, for Nothing, void. Anything else does not compile. Arguments that
/// do not fit Args are the error ARGS_NOT_READABLE, which is never retried; `fn` is not called.
template <JsonValue Args, JsonValue ResultType, typename Callable>
[[nodiscard]] Function make_function(Callable callable) {
    return [callable = std::move(callable)](Context& context,
                                            const nlohmann::json& json) mutable -> Result<nlohmann::json, TaskError> {
        const Result<Args, TaskError> read = detail::read_args<Args>(json);
        if (!read) return Failure{read.error()};
        const Args& args = read.value();
        using Returned = decltype(detail::call(callable, context, args));
        if constexpr (std::is_void_v<Returned>) {
            static_assert(std::same_as<ResultType, Nothing>, "the task's function must return its result");
            detail::call(callable, context, args);
            return nlohmann::json(nullptr);
        } else if constexpr (std::same_as<std::remove_cvref_t<Returned>, Result<ResultType, TaskError>>) {
            return detail::to_outcome(detail::call(callable, context, args));
        } else {
            static_assert(std::convertible_to<Returned, ResultType>,
                          "the task's function returns another type than the task was declared with");
            return detail::to_outcome(ResultType(detail::call(callable, context, args)));
        }
    };
}

}  // namespace holdfast
