#include "pipeline.hpp"

#include <string>

#include "../check.h"

Pipeline::Pipeline(const Scene &scene, int width, int height, int samples, int streams) {
    for (auto &pass : streams_) {
        pass.resize(static_cast<size_t>(streams));
        for (gevt_stream_t &stream : pass) {
            CHECK(gevt_stream_create(&stream, nullptr, GEVT_STREAM_NON_BLOCKING));
        }
    }
    for (int i = 0; i < kInFlight; i++) {
        slots_[i] = std::make_unique<Slot>(scene, width, height, samples);
        Slot &slot = *slots_[i];
        for (int step = 0; step < Frame::kSteps; step++) {
            for (int tile = 0; tile < slot.frame.tile_count(); tile++) {
                slot.work.push_back({&slot.frame, step, tile});
            }
            slot.stretches[step].resize(static_cast<size_t>(streams));
            for (Stretch &stretch : slot.stretches[step]) {
                CHECK(gevt_create(&stretch.start, GEVT_EVENT_DEFAULT));
                CHECK(gevt_create(&stretch.end, GEVT_EVENT_DEFAULT));
            }
        }
        CHECK(gevt_create(&slot.finished, GEVT_EVENT_DISABLE_TIMING));
        CHECK(gevt_set_name(slot.finished, ("slot " + std::to_string(i) + " finished").c_str()));
    }
    CHECK(gevt_create(&origin_, GEVT_EVENT_DEFAULT));
    CHECK(gevt_set_name(origin_, "rendering began"));
    CHECK(gevt_record(origin_, streams_[Frame::kTrace][0]));
    // All times count from here, so nothing may start before.
    for (gevt_stream_t stream : streams_[Frame::kTrace]) {
        CHECK(gevt_stream_wait(stream, origin_, GEVT_WAIT_DEFAULT));
    }
}

Pipeline::~Pipeline() {
    // Frames may still be under way if the program gives up early, and their work uses the slots.
    for (auto &pass : streams_) {
        for (gevt_stream_t stream : pass) {
            CHECK(gevt_stream_sync(stream));
            CHECK(gevt_stream_destroy(stream));
        }
    }
    for (auto &slot : slots_) {
        for (auto &step : slot->stretches) {
            for (Stretch &stretch : step) {
                CHECK(gevt_destroy(stretch.start));
                CHECK(gevt_destroy(stretch.end));
            }
        }
        CHECK(gevt_destroy(slot->finished));
    }
    CHECK(gevt_destroy(origin_));
}

void Pipeline::run(void *work) {
    const Work *tile = static_cast<const Work *>(work);
    tile->frame->run(tile->step, tile->tile);
}

void Pipeline::submit() {
    EXPECT(in_flight() < kInFlight);
    Slot &slot = *slots_[submitted_ % kInFlight];
    slot.frame.start(submitted_);
    for (int step = 0; step < Frame::kSteps; step++) {
        issue_step(slot, step);
    }
    // One event for the whole frame: its stream waits for the other streams' shares of the last step.
    const gevt_stream_t last = streams_[Frame::kToneMap][0];
    for (const Stretch &share : slot.stretches[Frame::kSteps - 1]) {
        CHECK(gevt_stream_wait(last, share.end, GEVT_WAIT_DEFAULT));
    }
    CHECK(gevt_record(slot.finished, last));
    submitted_++;
}

void Pipeline::issue_step(Slot &slot, int step) {
    const auto &streams = streams_[Frame::pass_of(step)];
    const int tiles = slot.frame.tile_count();
    for (size_t i = 0; i < streams.size(); i++) {
        if (step > 0) {
            for (const Stretch &share : slot.stretches[step - 1]) {
                CHECK(gevt_stream_wait(streams[i], share.end, GEVT_WAIT_DEFAULT));
            }
        }
        CHECK(gevt_record(slot.stretches[step][i].start, streams[i]));
        // Neighbouring tiles go to different streams, so no stream gets all the costly ones.
        for (int tile = static_cast<int>(i); tile < tiles; tile += static_cast<int>(streams.size())) {
            CHECK(gevt_stream_launch(streams[i], run, &slot.work[static_cast<size_t>(step * tiles + tile)]));
        }
        CHECK(gevt_record(slot.stretches[step][i].end, streams[i]));
    }
}

bool Pipeline::oldest_finished() const {
    return event_is_finished(slots_[collected_ % kInFlight]->finished);
}

const Frame &Pipeline::collect(FrameTimes &times) {
    const Slot &slot = *slots_[collected_ % kInFlight];
    EXPECT(slot.frame.number() == collected_);
    times = times_of(slot);
    collected_++;
    return slot.frame;
}

FrameTimes Pipeline::times_of(const Slot &slot) const {
    FrameTimes times;
    times.frame = slot.frame.number();
    for (int step = 0; step < Frame::kSteps; step++) {
        for (const Stretch &share : slot.stretches[step]) {
            int64_t start = 0, end = 0;
            CHECK(gevt_elapsed_ns(&start, origin_, share.start));
            CHECK(gevt_elapsed_ns(&end, origin_, share.end));
            times.passes[Frame::pass_of(step)].cover(start, end);
            if (step == 0) {
                continue;
            }
            // The order that the waits asked for: no share of a step starts before all shares of the last step have ended.
            for (const Stretch &before : slot.stretches[step - 1]) {
                int64_t gap = 0;
                CHECK(gevt_elapsed_ns(&gap, before.end, share.start));
                EXPECT(gap >= 0);
            }
        }
    }
    return times;
}
