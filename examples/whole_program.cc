// An application with the whole command line for its own tasks: worker, client and tool for its
// operators.
//
//     ./whole_program worker &
//     ./whole_program submit greet --args '{"name": "Ada"}' --wait
//     ./whole_program tasks list

#include <cstdlib>

#include <holdfast/app.h>

struct Person {
    std::string name;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Person, name)

int main(int argc, char** argv) {
    holdfast::App app;
    app.task<Person, std::string>("greet", [](const Person& person) { return "Hello, " + person.name; });
    // Each task runs in its own process, so this crash affects only its own task.
    app.task<holdfast::Nothing, holdfast::Nothing>("crash", [](const holdfast::Nothing&) { std::abort(); });
    return app.main(argc, argv);
}
