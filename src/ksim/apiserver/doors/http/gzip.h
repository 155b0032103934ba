// Gzip: answers in the coding that clients ask for, where they are long enough.
//
// Sources: apiserver pkg/endpoints/handlers/responsewriters/writers.go (negotiateContentEncoding,
// deferredResponseWriter), kube-openapi pkg/handler/handler.go with NYTimes/gziphandler.
#pragma once
#include <string>
#include <string_view>

#include "ksim/apiserver/doors/http/message.h"

namespace ksim::apiserver::http {

// Whether Accept-Encoding has `gzip` as a word of its own: a weight makes it another word.
bool AcceptsGzip(std::string_view accept_encoding);

// Compresses the body of an object's answer if it is longer than 128 KiB.
void CompressObject(HttpResponse* response);
// The same of the document at /openapi/v2, which has rules of its own: weights count, 1400 bytes
// are enough, and Vary says so in any case.
void CompressDocument(std::string_view accept_encoding, HttpResponse* response);

// The bytes as one member of gzip.
std::string Gzip(std::string_view bytes, int level);

}  // namespace ksim::apiserver::http
