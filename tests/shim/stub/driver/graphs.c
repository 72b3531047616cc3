/* Graphs: the nodes that name events. */
#include "stub.h"

static struct object node;

#define NODE(out, event) ((void)stub_event_of(event), stub_give(out, &node))
CUresult cuGraphAddEventRecordNode(CUgraphNode *out, CUgraph in, const CUgraphNode *after, size_t count,
                                   CUevent event) {
  BEGIN(cuGraphAddEventRecordNode);
  (void)in, (void)after, (void)count;
  return NODE(out, event);
}
CUresult cuGraphAddEventWaitNode(CUgraphNode *out, CUgraph in, const CUgraphNode *after, size_t count, CUevent event) {
  BEGIN(cuGraphAddEventWaitNode);
  (void)in, (void)after, (void)count;
  return NODE(out, event);
}
#define SETS(name, parameters)                                                                                         \
  CUresult name parameters {                                                                                           \
    BEGIN(name);                                                                                                       \
    (void)stub_event_of(event);                                                                                        \
    return 0;                                                                                                          \
  }
SETS(cuGraphEventRecordNodeSetEvent, (CUgraphNode of __attribute__((unused)), CUevent event))
SETS(cuGraphEventWaitNodeSetEvent, (CUgraphNode of __attribute__((unused)), CUevent event))
SETS(cuGraphExecEventRecordNodeSetEvent,
     (CUgraphExec in __attribute__((unused)), CUgraphNode of __attribute__((unused)), CUevent event))
SETS(cuGraphExecEventWaitNodeSetEvent,
     (CUgraphExec in __attribute__((unused)), CUgraphNode of __attribute__((unused)), CUevent event))
CUresult cuGraphKernelNodeSetAttribute(CUgraphNode of, int attribute, const void *value) {
  BEGIN(cuGraphKernelNodeSetAttribute);
  (void)of, (void)attribute, (void)value;
  return 0;
}

#ifndef STUB_IS_OLD
static void parameters_of(const CUgraphNodeParams *parameters) {
  if (parameters->type == CU_GRAPH_NODE_TYPE_WAIT_EVENT || parameters->type == CU_GRAPH_NODE_TYPE_EVENT_RECORD)
    (void)stub_event_of(parameters->of.event.event);
}
CUresult cuGraphAddNode(CUgraphNode *out, CUgraph in, const CUgraphNode *after, size_t count,
                        CUgraphNodeParams *parameters) {
  BEGIN(cuGraphAddNode);
  (void)in, (void)after, (void)count;
  parameters_of(parameters);
  return stub_give(out, &node);
}
CUresult cuGraphAddNode_v2(CUgraphNode *out, CUgraph in, const CUgraphNode *after, const void *edges, size_t count,
                           CUgraphNodeParams *parameters) {
  BEGIN(cuGraphAddNode_v2);
  (void)in, (void)after, (void)edges, (void)count;
  parameters_of(parameters);
  return stub_give(out, &node);
}
CUresult cuGraphNodeSetParams(CUgraphNode of, CUgraphNodeParams *parameters) {
  BEGIN(cuGraphNodeSetParams);
  (void)of;
  parameters_of(parameters);
  return 0;
}
CUresult cuGraphExecNodeSetParams(CUgraphExec in, CUgraphNode of, CUgraphNodeParams *parameters) {
  BEGIN(cuGraphExecNodeSetParams);
  (void)in, (void)of;
  parameters_of(parameters);
  return 0;
}
#endif
