#pragma once

#include <string>
#include <utility>

#include "holdfast/function.h"
#include "holdfast/typed_task.h"

namespace holdfast {

/// The tasks of an application: names, types and functions. With main() it is a program that can do all that
/// `holdfast` can, for its own tasks:
///
///     int main(int argc, char** argv) {
///         holdfast::App app;
///         app.task<ResizeArgs, ResizeResult>("resize", [](const ResizeArgs& args) { ... });
///         return app.main(argc, argv);
///     }
///
///     ./app worker &        ./app submit resize --args '{"file": "cat.png"}' --wait
class App {
public:
    /// Registers a function (holdfast/function.h says which) as the task of this name, and returns the task, for
    /// submitting it. Throws BadInput when the name is taken, empty, or longer than 250 bytes.
    template <JsonValue Args, JsonValue ResultType, typename Callable>
    Task<Args, ResultType> task(const std::string& name, Callable callable) {
        Task<Args, ResultType> declared{name};
        task(declared, std::move(callable));
        return declared;
    }
    /// The same for a task that has been declared already.
    template <JsonValue Args, JsonValue ResultType, typename Callable>
    void task(const Task<Args, ResultType>& declared, Callable callable) {
        add(declared.name(), make_function<Args, ResultType>(std::move(callable)));
    }

    /// For a Worker, or for runner_main().
    [[nodiscard]] const FunctionTable& functions() const { return functions_; }

    /// The whole command line, as docs/cli.md describes it, except `demo` and `bench`; returns the exit code. To be
    /// called before the program starts a thread. In the library holdfast::app, which a program that calls it links
    /// as well.
    int main(int argc, char** argv);

private:
    void add(const std::string& name, Function function);

    FunctionTable functions_;
};

}  // namespace holdfast
