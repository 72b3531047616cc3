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
  cudaGraphNode_t from[5], to[5], nodes[5];
  size_t count = 0;
  OK(EDGES_OF(graph, nullptr, nullptr, &count));
  CHECK(count == 2);
  count = 5;
  OK(EDGES_OF(graph, from, to, &count));
  CHECK(count == 2 && to[2] == nullptr);
  OK(cudaGraphGetNodes(graph, nullptr, &count));
  CHECK(count == 3);
  count = 1;
  OK(cudaGraphGetRootNodes(graph, nodes, &count));
  CHECK(count == 1 && nodes[0] == a);
  count = 5;
  OK(NODES_BEFORE(b, nodes, &count));
  CHECK(count == 1 && nodes[0] == a && nodes[1] == nullptr);
  OK(NODES_AFTER(b, nodes, &count));
  CHECK(count == 1 && nodes[0] == c);
  OK(cudaGraphDestroyNode(b));
  CHECK(run(graph) == "ca");
  GIVES(1, cudaGraphDestroyNode(b));
  GIVES(1, cudaGraphAddEmptyNode(nullptr, graph, nullptr, 0));
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

static void conditional() {
  cudaGraphConditionalHandle handle;
  cudaGraph_t graph = new_graph();
  GIVES(801, cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
}

int main() {
  edges();
  children();
  conditional();
}
