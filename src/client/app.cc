#include "holdfast/app.h"

#include "base/text.h"
#include "holdfast/errors.h"

namespace holdfast {

namespace {

constexpr std::size_t max_function_name_bytes = max_name_bytes - 5;  // with "task:" in front it is a tag

}  // namespace

void App::add(const std::string& name, Function function) {
    if (name.empty() || name.size() > max_function_name_bytes)
        throw BadInput(concat("a task's name has 1 to ", max_function_name_bytes, " bytes, not ", name.size()));
    if (const auto defect = name_defect(name)) throw BadInput(concat("a task's name ", *defect));
    if (!functions_.emplace(name, std::move(function)).second)
        throw BadInput(concat("there is a function for the task '", name, "' already"));
}

}  // namespace holdfast
