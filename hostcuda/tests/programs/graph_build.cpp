// Graphs that are built node by node: dependencies, clones, and launches in the order that the edges say.
#include "check.h"
#include <cstring>
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <string>

static std::string order;

static void CUDART_CB note(void *word) {
  order += static_cast<const char *>(word);
}

static cudaGraphNode_t host_node(cudaGraph_t graph, const char *word, const cudaGraphNode_t *behind, size_t count) {
  cudaHostNodeParams params = {note, const_cast<char *>(word)};
  cudaGraphNode_t node = nullptr;
  OK(cudaGraphAddHostNode(&node, graph, behind, count, &params));
  return node;
}

static std::string run(cudaGraph_t graph) {
  cudaGraphExec_t executable;
  order.clear();
  OK(cudaGraphInstantiateWithFlags(&executable, graph, 0));
  OK(cudaGraphUpload(executable, nullptr));
  OK(cudaGraphLaunch(executable, nullptr));
  OK(cudaGraphExecDestroy(executable));
  OK(cudaStreamSynchronize(nullptr));
  return order;
}

#if CUDART_VERSION >= 13000
#define ADD(graph, from, to) cudaGraphAddDependencies(graph, from, to, nullptr, 1)
#define REMOVE(graph, from, to) cudaGraphRemoveDependencies(graph, from, to, nullptr, 1)
#define EDGES(graph, from, to, count) cudaGraphGetEdges(graph, from, to, nullptr, count)
#define BEFORE(node, nodes, count) cudaGraphNodeGetDependencies(node, nodes, nullptr, count)
#define AFTER(node, nodes, count) cudaGraphNodeGetDependentNodes(node, nodes, nullptr, count)
#else
#define ADD(graph, from, to) cudaGraphAddDependencies(graph, from, to, 1)
#define REMOVE(graph, from, to) cudaGraphRemoveDependencies(graph, from, to, 1)
#define EDGES(graph, from, to, count) cudaGraphGetEdges(graph, from, to, count)
#define BEFORE(node, nodes, count) cudaGraphNodeGetDependencies(node, nodes, count)
#define AFTER(node, nodes, count) cudaGraphNodeGetDependentNodes(node, nodes, count)
#endif

static void edges() {
  cudaGraph_t graph;
  OK(cudaGraphCreate(&graph, 0));
  CHECK(run(graph).empty());
  const cudaGraphNode_t c = host_node(graph, "c", nullptr, 0);
  const cudaGraphNode_t a = host_node(graph, "a", nullptr, 0);
  const cudaGraphNode_t b = host_node(graph, "b", &a, 1);
  OK(ADD(graph, &b, &c));
  CHECK(run(graph) == "abc");
  GIVES(1, ADD(graph, &b, &c));
  GIVES(1, ADD(graph, &b, &b));
  cudaGraphNode_t from[5], to[5], nodes[5];
  size_t count = 0;
  OK(EDGES(graph, nullptr, nullptr, &count));
  CHECK(count == 2);
  count = 5;
  OK(EDGES(graph, from, to, &count));
  CHECK(count == 2 && to[2] == nullptr);
  OK(cudaGraphGetNodes(graph, nullptr, &count));
  CHECK(count == 3);
  count = 1;
  OK(cudaGraphGetRootNodes(graph, nodes, &count));
  CHECK(count == 1 && nodes[0] == a);
  count = 5;
  OK(BEFORE(b, nodes, &count));
  CHECK(count == 1 && nodes[0] == a && nodes[1] == nullptr);
  OK(AFTER(b, nodes, &count));
  CHECK(count == 1 && nodes[0] == c);
  // A cycle.
  OK(ADD(graph, &c, &a));
  cudaGraphExec_t executable;
  cudaGraphInstantiateParams params = {};
  GIVES(1, cudaGraphInstantiateWithFlags(&executable, graph, 0));
  GIVES(1, cudaGraphInstantiateWithParams(&executable, graph, &params));
  CHECK(params.result_out == cudaGraphInstantiateInvalidStructure);
  OK(REMOVE(graph, &c, &a));
  GIVES(1, REMOVE(graph, &c, &a));
  OK(cudaGraphDestroyNode(b));
  CHECK(run(graph) == "ca");
  GIVES(1, cudaGraphDestroyNode(b));
  cudaGraph_t other;
  OK(cudaGraphCreate(&other, 0));
  cudaGraphNode_t node;
  GIVES(1, cudaGraphAddEmptyNode(&node, other, &a, 1));
  const cudaGraphNode_t twice[] = {a, a};
  GIVES(1, cudaGraphAddEmptyNode(&node, graph, twice, 2));
  GIVES(1, cudaGraphAddEmptyNode(nullptr, graph, nullptr, 0));
  OK(cudaGraphDestroy(graph));
  GIVES(1, cudaGraphDestroy(graph));
  GIVES(1, cudaGraphDestroyNode(a));
  GIVES(1, cudaGraphCreate(&graph, 1));
}

static void children() {
  cudaGraph_t inner, outer, found, clone;
  cudaGraphNode_t first, child, last, in_clone;
  OK(cudaGraphCreate(&inner, 0));
  OK(cudaGraphCreate(&outer, 0));
  host_node(inner, "x", nullptr, 0);
  first = host_node(outer, "1", nullptr, 0);
  OK(cudaGraphAddChildGraphNode(&child, outer, &first, 1, inner));
  last = host_node(outer, "2", &child, 1);
  host_node(inner, "y", nullptr, 0);
  CHECK(run(outer) == "1x2");
  OK(cudaGraphChildGraphNodeGetGraph(child, &found));
  CHECK(found != inner);
  GIVES(1, cudaGraphDestroy(found));
  host_node(found, "z", nullptr, 0);
  CHECK(run(outer) == "1xz2");
  OK(cudaGraphClone(&clone, outer));
  OK(cudaGraphNodeFindInClone(&in_clone, last, clone));
  CHECK(in_clone != last);
  GIVES(1, cudaGraphNodeFindInClone(&in_clone, last, inner));
  OK(cudaGraphDestroyNode(in_clone));
  CHECK(run(clone) == "1xz" && run(outer) == "1xz2");
  cudaGraphNodeType type;
  OK(cudaGraphNodeGetType(child, &type));
  CHECK(type == cudaGraphNodeTypeGraph);
  OK(cudaGraphDestroy(outer));
  GIVES(1, cudaGraphDestroy(found));
  OK(cudaGraphDestroy(clone));
  OK(cudaGraphDestroy(inner));
}

static void user_objects() {
  static int destroyed = 0;
  cudaUserObject_t object;
  cudaGraph_t graph, clone;
  cudaGraphExec_t executable;
  const auto destroy = [](void *) { destroyed++; };
  OK(cudaUserObjectCreate(&object, &destroyed, destroy, 2, cudaUserObjectNoDestructorSync));
  GIVES(1, cudaUserObjectCreate(&object, nullptr, destroy, 1, 0));
  GIVES(1, cudaUserObjectCreate(&object, nullptr, destroy, 0, cudaUserObjectNoDestructorSync));
  OK(cudaGraphCreate(&graph, 0));
  OK(cudaGraphRetainUserObject(graph, object, 2, cudaGraphUserObjectMove));
  OK(cudaGraphCreate(&clone, 0));
  OK(cudaGraphRetainUserObject(clone, object, 1, 0));
  OK(cudaGraphReleaseUserObject(clone, object, 3));
  GIVES(1, cudaGraphReleaseUserObject(clone, object, 1));
  OK(cudaGraphDestroy(clone));
  OK(cudaGraphReleaseUserObject(graph, object, 1));
  OK(cudaGraphClone(&clone, graph));
  OK(cudaGraphInstantiateWithFlags(&executable, graph, 0));
  OK(cudaGraphDestroy(graph));
  OK(cudaGraphDestroy(clone));
  CHECK(destroyed == 0);
  OK(cudaGraphLaunch(executable, nullptr));
  OK(cudaGraphExecDestroy(executable));
  OK(cudaDeviceSynchronize());
  CHECK(destroyed == 1);
  GIVES(1, cudaUserObjectRelease(object, 1));
  GIVES(1, cudaUserObjectRetain(object, 1));
}

// A child graph is destroyed if it does not become a node, or is replaced in one.
static void unused_children() {
  static int destroyed = 0;
  cudaUserObject_t object;
  cudaGraph_t inner, graph;
  cudaGraphNode_t empty, child;
  cudaGraphExec_t executable;
  const cudaHostFn_t destroy = [](void *count) { ++*static_cast<int *>(count); };
  OK(cudaUserObjectCreate(&object, &destroyed, destroy, 1, cudaUserObjectNoDestructorSync));
  OK(cudaGraphCreate(&inner, 0));
  OK(cudaGraphRetainUserObject(inner, object, 1, cudaGraphUserObjectMove));
  OK(cudaGraphCreate(&graph, 0));
  OK(cudaGraphAddEmptyNode(&empty, graph, nullptr, 0));
  OK(cudaGraphAddChildGraphNode(&child, graph, nullptr, 0, inner));
  cudaGraphNodeParams params = {cudaGraphNodeTypeGraph};
  params.graph.graph = inner;
  GIVES(1, cudaGraphNodeSetParams(empty, &params));
  OK(cudaGraphNodeSetParams(child, &params));
  OK(cudaGraphInstantiateWithFlags(&executable, graph, 0));
  GIVES(1, cudaGraphExecNodeSetParams(executable, empty, &params));
  OK(cudaGraphExecDestroy(executable));
  OK(cudaGraphDestroy(graph));
  CHECK(destroyed == 0);
  OK(cudaGraphDestroy(inner));
  CHECK(destroyed == 1);
}

static void printed() {
  cudaGraph_t graph;
  OK(cudaGraphCreate(&graph, 0));
  const cudaGraphNode_t a = host_node(graph, "a", nullptr, 0);
  host_node(graph, "b", &a, 1);
  std::string path = scratch_path("graph");
  const int file = mkstemp(path.data());
  CHECK(file >= 0);
  OK(cudaGraphDebugDotPrint(graph, path.c_str(), 0));
  char text[1000] = {};
  FILE *written = fopen(path.c_str(), "r");
  CHECK(written && fread(text, 1, sizeof text - 1, written) > 0);
  remove(path.c_str());
  CHECK(std::strstr(text, "digraph") && std::strstr(text, "->") && std::strstr(text, "HOST"));
  CHECK(cudaGraphDebugDotPrint(graph, "/nowhere/to/be/found", 0) != 0);
  GIVES(1, cudaGraphDebugDotPrint(graph, nullptr, 0));
}

static void conditional() {
  cudaGraph_t graph;
  cudaGraphConditionalHandle handle;
  OK(cudaGraphCreate(&graph, 0));
  GIVES(801, cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
}

int main() {
  edges();
  children();
  user_objects();
  unused_children();
  printed();
  conditional();
  return 0;
}
