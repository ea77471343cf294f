#include "store/postgres/lookup.h"

#include <netdb.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <thread>

#include "base/descriptor.h"
#include "base/text.h"

namespace holdfast::postgres {

struct Lookup::State {
    Descriptor done{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    std::mutex mutex;
    Found found;
};

namespace {

Lookup::Found look_up(const std::string& name) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* first = nullptr;
    if (const int error = getaddrinfo(name.c_str(), nullptr, &hints, &first); error != 0)
        return {{}, concat("could not translate host name \"", name, "\" to address: ", gai_strerror(error))};
    const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> all(first, &freeaddrinfo);
    Lookup::Found found;
    for (const addrinfo* each = first; each != nullptr; each = each->ai_next) {
        std::array<char, NI_MAXHOST> text{};
        if (getnameinfo(each->ai_addr, each->ai_addrlen, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) != 0)
            continue;
        const std::string address = text.data();
        const auto& known = found.addresses;
        if (std::find(known.begin(), known.end(), address) == known.end()) found.addresses.push_back(address);
    }
    if (found.addresses.empty()) found.complaint = concat("host name \"", name, "\" has no address");
    return found;
}

/// The look-ups of this process that are under way. Never destroyed: their threads may outlive main().
struct LookupsUnderWay {
    std::mutex mutex;
    std::map<std::string, std::shared_ptr<Lookup::State>> states;
};
LookupsUnderWay& lookups_under_way() {
    static auto* const all = new LookupsUnderWay;
    return *all;
}

void carry_out(const std::string& name, const std::shared_ptr<Lookup::State>& state) {
    auto found = look_up(name);
    {
        const std::lock_guard lock(lookups_under_way().mutex);
        lookups_under_way().states.erase(name);
    }
    const std::lock_guard lock(state->mutex);
    state->found = std::move(found);
    eventfd_write(state->done.get(), 1);
}

}  // namespace

Lookup::Lookup(const std::string& name) {
    const std::lock_guard lock(lookups_under_way().mutex);
    auto& states = lookups_under_way().states;
    if (const auto found = states.find(name); found != states.end()) {
        state_ = found->second;
        return;
    }
    auto made = std::make_shared<State>();
    std::thread([name, made] { carry_out(name, made); }).detach();
    states[name] = state_ = std::move(made);
}

int Lookup::descriptor() const {
    return state_->done.get();
}

Lookup::Found Lookup::found() const {
    const std::lock_guard lock(state_->mutex);
    return state_->found;
}

}  // namespace holdfast::postgres
