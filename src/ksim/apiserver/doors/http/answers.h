// Answers: the pipeline's responses as HTTP responses.
#pragma once
#include "ksim/api/request.h"
#include "ksim/api/status.h"
#include "ksim/apiserver/doors/http/message.h"
#include "ksim/apiserver/doors/http/negotiation.h"
#include "ksim/apiserver/doors/http/request_reader.h"
#include "ksim/base/time.h"

namespace ksim::apiserver::http {

// A Status in the form that was negotiated; JSON for null, or a type without a form.
// An answer without a body: its code, its warnings, and the headers that all answers have.
HttpResponse EmptyAnswer(const api::Response& response);

HttpResponse StatusResponse(const api::Status& status, const OutputType* type);

// The whole answer to a request that is no watch.
HttpResponse ObjectResponse(const AnswerForm& form, const api::Response& response, VirtualTime now);

// The head of the answer that opens a watch.
HttpResponse WatchHead(const AnswerForm& form, const api::Response& response);

}  // namespace ksim::apiserver::http
