#include "holdfast/app.h"

int main(int argc, char** argv) {
    return holdfast::App().main(argc, argv);
}
