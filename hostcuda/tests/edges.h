// The calls for the edges of graphs have one more parameter since CUDA 13.
#pragma once
#include <cuda_runtime_api.h>

#if CUDART_VERSION >= 13000
#define WITHOUT_DATA nullptr,
#else
#define WITHOUT_DATA
#endif
#define ADD_EDGES(graph, from, to, count) cudaGraphAddDependencies(graph, from, to, WITHOUT_DATA count)
#define ADD_EDGE(graph, from, to) ADD_EDGES(graph, from, to, 1)
#define REMOVE_EDGES(graph, from, to, count) cudaGraphRemoveDependencies(graph, from, to, WITHOUT_DATA count)
#define REMOVE_EDGE(graph, from, to) REMOVE_EDGES(graph, from, to, 1)
#define EDGES_OF(graph, from, to, count) cudaGraphGetEdges(graph, from, to, WITHOUT_DATA count)
#define NODES_BEFORE(node, nodes, count) cudaGraphNodeGetDependencies(node, nodes, WITHOUT_DATA count)
#define NODES_AFTER(node, nodes, count) cudaGraphNodeGetDependentNodes(node, nodes, WITHOUT_DATA count)
