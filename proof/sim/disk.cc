#include "proof/sim/disk.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace holdfast::sim {

namespace {

constexpr std::size_t sector_bytes = 512;

/// How much of the data that was not synced survives: nothing, everything, or some of it.
double draw_survival(Dice& dice) {
    switch (dice.below(4)) {
        case 0:
            return 0;
        case 1:
            return 1;
        default:
            return dice.fraction();
    }
}

}  // namespace

bool DiskFile::read(std::size_t offset, std::span<std::byte> into) const {
    const std::size_t there = offset >= content_.size() ? 0 : std::min(into.size(), content_.size() - offset);
    if (there > 0) std::memcpy(into.data(), content_.data() + offset, there);
    std::fill(into.begin() + static_cast<std::ptrdiff_t>(there), into.end(), std::byte{0});
    return there == into.size();
}

void DiskFile::write(std::size_t offset, std::span<const std::byte> from) {
    Write& write = unsynced_.emplace_back();
    write.offset = offset;
    write.size_before = content_.size();
    write.before.resize(from.size());
    read(offset, write.before);
    write.after.assign(from.begin(), from.end());
    if (offset + from.size() > content_.size()) content_.resize(offset + from.size());
    std::memcpy(content_.data() + offset, from.data(), from.size());
}

void DiskFile::truncate(std::size_t size) {
    if (size >= content_.size()) return;
    Write& write = unsynced_.emplace_back();
    write.offset = size;
    write.size_before = content_.size();
    write.before.assign(content_.begin() + static_cast<std::ptrdiff_t>(size), content_.end());
    content_.resize(size);
}

void DiskFile::lose_power(Dice& dice) {
    const double survival = draw_survival(dice);
    std::vector<Write> writes = std::move(unsynced_);
    unsynced_.clear();
    for (auto write = writes.rbegin(); write != writes.rend(); ++write) {
        content_.resize(std::max(write->size_before, write->offset + write->before.size()));
        std::memcpy(content_.data() + write->offset, write->before.data(), write->before.size());
        content_.resize(write->size_before);
    }
    for (const Write& write : writes) {
        if (write.after.empty()) {
            if (dice.chance(survival) && write.offset < content_.size()) content_.resize(write.offset);
            continue;
        }
        for (std::size_t from = 0; from < write.after.size();) {
            const std::size_t to_boundary = sector_bytes - (write.offset + from) % sector_bytes;
            const std::size_t length = std::min(to_boundary, write.after.size() - from);
            if (dice.chance(survival)) {
                const std::size_t end = write.offset + from + length;
                if (end > content_.size()) content_.resize(end);
                std::memcpy(content_.data() + write.offset + from, write.after.data() + from, length);
            }
            from += length;
        }
    }
}

void DiskClient::arm(const DiskFault& what) {
    fault = what;
    struck.reset();
    is_refused_locks = false;
}

std::optional<DiskFault::Kind> DiskClient::disarm() {
    fault.reset();
    is_refused_locks = false;
    return std::exchange(struck, std::nullopt);
}

std::shared_ptr<Inode> Disk::open(const std::string& name) {
    auto& file = files_[name];
    if (!file) {
        file = std::make_shared<Inode>();
        file->number = ++last_number_;
    }
    return file;
}

std::uint64_t Disk::number_of(const std::string& name) const {
    const auto found = files_.find(name);
    return found == files_.end() ? 0 : found->second->number;
}

DiskImage Disk::image() const {
    DiskImage image;
    for (const auto& [name, file] : files_) image[name] = file->content;
    for (auto& [name, content] : image) content.sync();
    return image;
}

void Disk::restore(const DiskImage& image, Restore how) {
    const auto before = std::exchange(files_, {});
    for (const auto& [name, content] : image) {
        auto& file = files_[name] = std::make_shared<Inode>();
        const auto replaced = before.find(name);
        const bool keeps_number = how == Restore::InPlace && replaced != before.end();
        file->number = keeps_number ? replaced->second->number : ++last_number_;
        file->content = content;
    }
    if (how == Restore::InPlace) disconnect_all();
    if (how == Restore::FailOver)
        for (const auto& [name, file] : before) file->is_cut_off = true;
}

void Disk::disconnect_all() {
    for (const auto& client : clients)
        if (const auto living = client.lock()) living->is_dead = true;
    clients.clear();
}

void Disk::lose_power() {
    ++power_cuts;
    disconnect_all();
    for (auto& [name, file] : files_) {
        file->content.lose_power(dice_);
        file->index.reset();
        file->locks = {};
    }
}

}  // namespace holdfast::sim
