#include "store/sqlite/store_impl.h"

namespace holdfast::sqlite {

std::int64_t SqliteStore::rank() const {
    return 0;
}

}  // namespace holdfast::sqlite
