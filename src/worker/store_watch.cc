#include "worker/store_watch.h"

namespace holdfast::worker {

StoreWatch::StoreWatch(store::WorkerStore& store, store::Topic topic, std::function<void()> when_news)
    : watch_(store.watch(topic)), when_news_(std::move(when_news)), thread_([this] { run(); }) {}

StoreWatch::~StoreWatch() {
    stopping_ = true;
    watch_->wake();
    thread_.join();
}

void StoreWatch::run() {
    while (!stopping_)
        if (watch_->wait(std::chrono::seconds(10))) when_news_();
}

}  // namespace holdfast::worker
