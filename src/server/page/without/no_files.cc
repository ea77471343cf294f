#include "server/page/page.h"

namespace holdfast::page {

std::span<const EmbeddedFile> embedded_files() {
    return {};
}

}  // namespace holdfast::page
