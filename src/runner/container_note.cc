#include "runner/container_note.h"

#include <unistd.h>

#include <charconv>
#include <fstream>

namespace holdfast::runner {

namespace {

std::string note_in(const std::string& folder) {
    return folder + "/container";
}

std::string next_word(std::ifstream& note) {
    std::string word;
    std::getline(note, word, '\0');
    return word;
}

}  // namespace

void note_container(const std::string& folder, const ContainerTool& tool, const store::TaskLease& lease) {
    std::ofstream note(note_in(folder), std::ios::binary);
    note << lease.task.to_string() << '\0' << lease.lease << '\0';
    for (const std::string& word : tool.command) note << word << '\0';
}

std::string container_id_file(const std::string& folder) {
    return folder + "/container-id";
}

void forget_container(const std::string& folder) {
    unlink(note_in(folder).c_str());
}

bool has_noted_container(const std::string& folder) {
    return access(note_in(folder).c_str(), F_OK) == 0;
}

bool remove_noted_container(const std::string& folder, Duration patience) {
    if (!has_noted_container(folder)) return true;
    std::ifstream note(note_in(folder), std::ios::binary);
    store::TaskLease lease{Uuid::parse(next_word(note)).value_or(Uuid()), 0};
    const std::string number = next_word(note);
    std::from_chars(number.data(), number.data() + number.size(), lease.lease);
    ContainerTool tool{.command = {}};
    for (std::string word = next_word(note); note; word = next_word(note)) tool.command.push_back(word);
    const bool was_made = access(container_id_file(folder).c_str(), F_OK) == 0;
    return remove_containers(tool, lease, patience) != Removal::Unknown || !was_made;
}

}  // namespace holdfast::runner
