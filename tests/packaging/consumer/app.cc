// A program outside this tree with the whole command line for a task of its own.
#include <holdfast/app.h>

int main(int argc, char** argv) {
    holdfast::App app;
    app.task<std::string, std::string>("greet", [](const std::string& name) { return "Hello, " + name; });
    return app.main(argc, argv);
}
