#include <iostream>

#include "server/api/route.h"

/// Prints the OpenAPI document of the API, from which scripts/update-types makes the page's types.
int main() {
    std::cout << holdfast::api::openapi_document("").dump() << '\n';
}
