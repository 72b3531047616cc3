// Sends an exported pointer of a memory pool to another process, with the pool's descriptor.
#pragma once
#include <cstring>
#include <cuda_runtime_api.h>
#include <sys/socket.h>

// Is what the kernel is asked to send or to fill in.
struct PoolLetter {
  explicit PoolLetter(cudaMemPoolPtrExportData &data) : part{&data, sizeof data} {
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
  }
  PoolLetter(const PoolLetter &) = delete;
  PoolLetter &operator=(const PoolLetter &) = delete;

  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  iovec part;
  msghdr message = {};
};

inline bool send_pool(int to, int file, cudaMemPoolPtrExportData data) {
  PoolLetter letter(data);
  cmsghdr *head = CMSG_FIRSTHDR(&letter.message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof file);
  std::memcpy(CMSG_DATA(head), &file, sizeof file);
  return sendmsg(to, &letter.message, 0) == sizeof data;
}

inline bool receive_pool(int from, int &file, cudaMemPoolPtrExportData &data) {
  PoolLetter letter(data);
  const bool whole = recvmsg(from, &letter.message, MSG_WAITALL) == sizeof data;
  const cmsghdr *head = CMSG_FIRSTHDR(&letter.message);
  if (whole && head) std::memcpy(&file, CMSG_DATA(head), sizeof file);
  return whole && head;
}
