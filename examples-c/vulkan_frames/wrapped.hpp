// The application's device and queues as gevt's context and streams, and a submit that takes gevt's events along.
#pragma once

#include <initializer_list>

#include "application.hpp"
#include "gevt.hpp"

gevt::context wrap_device(const Application &application);

// A queue may be used by one thread at a time: all who submit to it, gevt among them, hold its mutex. A stream's waits go into
// its next batch.
gevt::stream wrap_queue(gevt::context_ref context, Application &application, int number);

// The application's submit, which takes along what the stream waits for, and the signal that completes the events.
void submit_recording(VkQueue queue, gevt::stream_ref stream, VkCommandBuffer commands,
                      std::initializer_list<gevt_event_t> records);
