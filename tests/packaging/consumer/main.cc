// A program outside this tree, which knows only what is installed: submits a task and reads it back.
#include <iostream>

#include <holdfast/client.h>
#include <holdfast/version.h>

int main(int, char** argv) {
    holdfast::Client client(argv[1]);
    const holdfast::Uuid id = client.submit("greet", {{"name", "Ada"}});
    std::cout << HOLDFAST_VERSION << ' ' << holdfast::to_text(client.get(id)->state) << '\n';
}
