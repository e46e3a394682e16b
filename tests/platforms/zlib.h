/* What the corpus reader calls of zlib, by the gzip program: for machines that Debian's cross compilers build for, but
   have no libraries of. A file that is not compressed is read as it is, as zlib does. */
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>

enum { Z_OK = 0, Z_ERRNO = -1, Z_DATA_ERROR = -3 };

struct gzFile_s {
  std::FILE* file = nullptr;
  bool is_pipe = false;
  int code = Z_OK;
};

using gzFile = gzFile_s*;

inline gzFile gzopen(const char* path, const char* mode) {
  if (*mode == 'w') { /* not packed: what reads it finds out */
    std::FILE* const out = std::fopen(path, mode);
    return out == nullptr ? nullptr : new gzFile_s{out, false, Z_OK};
  }
  std::FILE* file = std::fopen(path, mode);
  if (file == nullptr) {
    return nullptr;
  }
  const int first = std::fgetc(file);
  const int second = std::fgetc(file);
  if (first != 0x1f || second != 0x8b) {
    std::rewind(file);
    return new gzFile_s{file, false, Z_OK};
  }
  std::fclose(file);
  std::string command = "exec gzip -dc -- '";
  for (const char* c = path; *c != '\0'; ++c) {
    command += *c == '\'' ? std::string("'\\''") : std::string(1, *c);
  }
  file = popen((command + "' 2>/dev/null").c_str(), "r");
  return file == nullptr ? nullptr : new gzFile_s{file, true, Z_OK};
}

/* Standard input: packed or not, by its first byte; 0x1f begins no text. */
inline gzFile gzdopen(int descriptor, const char* mode) {
  std::FILE* const file = fdopen(descriptor, mode);
  if (file == nullptr) {
    return nullptr;
  }
  std::setvbuf(file, nullptr, _IONBF, 0); /* what is read ahead would be lost to gzip */
  const int first = std::fgetc(file);
  std::setvbuf(file, nullptr, _IOFBF, 1 << 16);
  std::ungetc(first, file);
  return new gzFile_s{file, false, first == 0x1f ? Z_DATA_ERROR : Z_OK};
}

inline int gzwrite(gzFile f, const void* from, unsigned size) {
  return static_cast<int>(std::fwrite(from, 1, size, f->file));
}

inline void gzbuffer(gzFile, std::size_t) {}

inline int gzread(gzFile f, void* to, unsigned size) {
  const std::size_t got = std::fread(to, 1, size, f->file);
  if (got < size && std::ferror(f->file) != 0) {
    f->code = Z_ERRNO;
    return -1;
  }
  if (got < size && f->is_pipe) { // whether gzip was content is known at its end
    f->code = pclose(f->file) == 0 ? Z_OK : Z_DATA_ERROR;
    f->file = nullptr;
  }
  return static_cast<int>(got);
}

inline const char* gzerror(gzFile f, int* code) {
  *code = f->code;
  return f->code == Z_OK ? "" : "gzip cannot read it";
}

inline int gzdirect(gzFile f) {
  return f->is_pipe ? 0 : 1;
}

inline int gzclose_r(gzFile f) {
  const int status = f->file == nullptr ? 0 : f->is_pipe ? pclose(f->file) : std::fclose(f->file);
  delete f;
  return status;
}

inline int gzclose_w(gzFile f) {
  return gzclose_r(f);
}
