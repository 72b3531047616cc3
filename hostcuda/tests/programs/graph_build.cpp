// Graphs that are built node by node: dependencies, clones, and launches in the order that the edges say.
#include "../edges.h"
#include "objects.h"
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
  order.clear();
  cudaGraphExec_t executable = instantiated(graph);
  OK(cudaGraphUpload(executable, nullptr));
  OK(cudaGraphLaunch(executable, nullptr));
  OK(cudaGraphExecDestroy(executable));
  OK(cudaStreamSynchronize(nullptr));
  return order;
}

static void edges() {
  cudaGraph_t graph = new_graph();
  CHECK(run(graph).empty());
  const cudaGraphNode_t c = host_node(graph, "c", nullptr, 0);
  const cudaGraphNode_t a = host_node(graph, "a", nullptr, 0);
  const cudaGraphNode_t b = host_node(graph, "b", &a, 1);
  OK(ADD_EDGE(graph, &b, &c));
  CHECK(run(graph) == "abc");
  cudaGraphNode_t nodes[5];
  size_t count = 5;
  OK(NODES_BEFORE(b, nodes, &count));
  CHECK(count == 1 && nodes[0] == a && nodes[1] == nullptr);
  count = 5;
  OK(NODES_AFTER(b, nodes, &count));
  CHECK(count == 1 && nodes[0] == c);
  OK(cudaGraphDestroyNode(b));
  CHECK(run(graph) == "ca");
  OK(cudaGraphDestroy(graph));
  GIVES(1, cudaGraphDestroyNode(a));
}

static void children() {
  cudaGraph_t found, clone;
  cudaGraphNode_t first, child, last, in_clone;
  cudaGraph_t inner = new_graph(), outer = new_graph();
  host_node(inner, "x", nullptr, 0);
  first = host_node(outer, "1", nullptr, 0);
  OK(cudaGraphAddChildGraphNode(&child, outer, &first, 1, inner));
  last = host_node(outer, "2", &child, 1);
  host_node(inner, "y", nullptr, 0);
  CHECK(run(outer) == "1x2");
  OK(cudaGraphChildGraphNodeGetGraph(child, &found));
  GIVES(1, cudaGraphDestroy(found));
  host_node(found, "z", nullptr, 0);
  CHECK(run(outer) == "1xz2");
  OK(cudaGraphClone(&clone, outer));
  OK(cudaGraphNodeFindInClone(&in_clone, last, clone));
  CHECK(in_clone != last);
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
  const auto destroy = [](void *) { destroyed++; };
  GIVES(1, cudaUserObjectCreate(&object, nullptr, destroy, 1, 0));
  GIVES(1, cudaUserObjectCreate(&object, nullptr, destroy, 0, cudaUserObjectNoDestructorSync));
  OK(cudaUserObjectCreate(&object, &destroyed, destroy, 2, cudaUserObjectNoDestructorSync));
  cudaGraph_t graph = new_graph();
  OK(cudaGraphRetainUserObject(graph, object, 2, cudaGraphUserObjectMove));
  cudaGraph_t clone = new_graph();
  OK(cudaGraphRetainUserObject(clone, object, 1, 0));
  OK(cudaGraphReleaseUserObject(clone, object, 3));
  GIVES(1, cudaGraphReleaseUserObject(clone, object, 1));
  OK(cudaGraphDestroy(clone));
  OK(cudaGraphReleaseUserObject(graph, object, 1));
  OK(cudaGraphClone(&clone, graph));
  cudaGraphNode_t child;
  cudaGraph_t outer = new_graph();
  OK(cudaGraphAddChildGraphNode(&child, outer, nullptr, 0, graph));
  cudaGraphExec_t executable = instantiated(outer);
  OK(cudaGraphDestroy(outer));
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

int main() {
  edges();
  children();
  user_objects();
}
