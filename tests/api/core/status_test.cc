#include "ksim/api/status.h"

#include "tests/api/fixture.h"

namespace ksim::api {
namespace {

const GroupResource kPods{"", "pods"};
const GroupResource kReplicaSets{"apps", "replicasets"};

std::string Json(const Status& s) { return value::ToJson(s.ToTree()); }

// API-21, API-22, API-23
TEST(Status, BodiesAreGolden) {
  const struct {
    Status status;
    const char* json;
  } kCases[] = {
      {NotFound(kPods, "x"),
       R"({"apiVersion":"v1","code":404,"details":{"kind":"pods","name":"x"},"kind":"Status",)"
       R"("message":"pods \"x\" not found","metadata":{},"reason":"NotFound","status":"Failure"})"},
      {AlreadyExists(kReplicaSets, "x"),
       R"({"apiVersion":"v1","code":409,"details":{"group":"apps","kind":"replicasets",)"
       R"("name":"x"},"kind":"Status","message":"replicasets.apps \"x\" already exists",)"
       R"("metadata":{},"reason":"AlreadyExists","status":"Failure"})"},
      {Expired("The resourceVersion for the provided list is too old."),
       R"({"apiVersion":"v1","code":410,"kind":"Status",)"
       R"("message":"The resourceVersion for the provided list is too old.",)"
       R"("metadata":{},"reason":"Expired","status":"Failure"})"},
      {Invalid("apps", "ReplicaSet", "x",
               {{"FieldValueRequired", "Required value", "spec.selector"}}),
       R"({"apiVersion":"v1","code":422,"details":{"causes":[{"field":"spec.selector",)"
       R"("message":"Required value","reason":"FieldValueRequired"}],"group":"apps",)"
       R"("kind":"ReplicaSet","name":"x"},"kind":"Status","message":"ReplicaSet.apps \"x\" is )"
       R"(invalid: spec.selector: Required value","metadata":{},"reason":"Invalid",)"
       R"("status":"Failure"})"},
      {InternalError("boom"),
       R"({"apiVersion":"v1","code":500,"details":{"causes":[{"message":"boom"}]},"kind":"Status",)"
       R"("message":"Internal error occurred: boom","metadata":{},"reason":"InternalError",)"
       R"("status":"Failure"})"},
      {Unmapped(500, "etcdserver: mvcc"),
       R"({"apiVersion":"v1","code":500,"kind":"Status","message":"etcdserver: mvcc",)"
       R"("metadata":{},"status":"Failure"})"},
  };
  for (const auto& c : kCases) EXPECT_EQ(Json(c.status), c.json);
}

// API-23, API-25
TEST(Status, Messages) {
  EXPECT_EQ(
      Conflict(kPods, "x",
               "the object has been modified; please apply your changes to the latest version "
               "and try again")
          .message,
      "Operation cannot be fulfilled on pods \"x\": the object has been modified; please apply "
      "your changes to the latest version and try again");
  EXPECT_EQ(Forbidden(kPods, "x", "no").message, "pods \"x\" is forbidden: no");
  EXPECT_EQ(Forbidden(kPods, "", "no").message, "pods is forbidden: no");
  EXPECT_EQ(Forbidden(GroupResource(), "", "no").message, "forbidden: no");
  EXPECT_EQ(MethodNotSupported(kReplicaSets, "watch").message,
            "watch is not supported on resources of kind \"replicasets.apps\"");
  EXPECT_EQ(UnknownPath().message, "the server could not find the requested resource");
  EXPECT_EQ(Unauthorized().code, 401);
  EXPECT_EQ(RequestEntityTooLarge("limit is 3145728").message,
            "Request entity too large: limit is 3145728");
  EXPECT_EQ(
      ServerTimeout(kPods, "list", 2).message,
      "The list operation against pods could not be completed at this time, please try again.");
  EXPECT_EQ(ServerTimeout(kPods, "list", 2).details->name, "list");
  EXPECT_EQ(ServiceUnavailable("down").code, 503);
  EXPECT_EQ(UnsupportedMediaType("x").code, 415);
}

// API-27
TEST(Status, GeneratedNamesThatCollide) {
  const Status s = GenerateNameConflict(kPods, "web-abcde");
  EXPECT_EQ(s.code, 409);
  EXPECT_EQ(s.reason, "AlreadyExists");
  EXPECT_EQ(s.details->retry_after_seconds, 1);
  EXPECT_EQ(s.message,
            "pods \"web-abcde\" already exists, the server was not able to generate a unique name "
            "for the object");
}

// API-29
TEST(Status, SuccessOfADelete) {
  EXPECT_EQ(Json(Success(kReplicaSets, "x", "u")),
            R"({"apiVersion":"v1","code":200,"details":{"group":"apps","kind":"replicasets",)"
            R"("name":"x","uid":"u"},"kind":"Status","metadata":{},"status":"Success"})");
}

// API-30
TEST(Status, InvalidListsDifferentProblemsOnce) {
  const StatusCause a("FieldValueInvalid", "Invalid value: 1", "a");
  const StatusCause b("FieldValueRequired", "Required value", "b");
  EXPECT_EQ(Invalid("", "Pod", "x", {a, b, a}).message,
            "Pod \"x\" is invalid: [a: Invalid value: 1, b: Required value]");
  EXPECT_EQ(Invalid("", "Pod", "x", {a, b, a}).details->causes.size(), 3u);
  EXPECT_EQ(Invalid("", "Pod", "x", {a, a}).message, "Pod \"x\" is invalid: a: Invalid value: 1");
  EXPECT_EQ(Invalid("", "Pod", "x", {}).message, "Pod \"x\" is invalid");
}

// API-37
TEST(Status, TooLargeResourceVersion) {
  const Status s = TooLargeResourceVersion(9, 5, 1);
  EXPECT_EQ(
      Json(s),
      R"({"apiVersion":"v1","code":504,"details":{"causes":[{"message":"Too large resource )"
      R"(version","reason":"ResourceVersionTooLarge"}],"retryAfterSeconds":1},"kind":"Status",)"
      R"("message":"Timeout: Too large resource version: 9, current: 5","metadata":{},)"
      R"("reason":"Timeout","status":"Failure"})");
  EXPECT_TRUE(IsTooLargeResourceVersion(s));
}

// CLIENT-10
TEST(Status, TooLargeIsRecognisedInItsOlderForms) {
  Status by_cause = TimeoutError("x", 0);
  by_cause.details->causes.emplace_back("", "Too large resource version", "");
  EXPECT_TRUE(IsTooLargeResourceVersion(by_cause));
  EXPECT_TRUE(IsTooLargeResourceVersion(by_cause, /*in_message=*/false));
  EXPECT_TRUE(IsTooLargeResourceVersion(TimeoutError("Too large resource version: 9", 1)));
  EXPECT_FALSE(IsTooLargeResourceVersion(TimeoutError("Too large resource version: 9", 1),
                                         /*in_message=*/false));
  EXPECT_FALSE(IsTooLargeResourceVersion(TimeoutError("Too large resource version: 9", 0)));
  EXPECT_FALSE(IsTooLargeResourceVersion(TimeoutError("slow", 1)));
  EXPECT_FALSE(IsTooLargeResourceVersion(BadRequest("Too large resource version")));
}

TEST(Status, TreesComeBackAsTheyWere) {
  Status expired = Expired("x");
  expired.details->continue_token = "token";
  Status many = Invalid("apps", "ReplicaSet", "x", {{"r", "m", "f"}, {"s", "n", "g"}});
  many.details->uid = "u";
  many.details->retry_after_seconds = 4;
  for (const Status& s : {NotFound(kPods, "x"), expired, many, Success(kPods, "x", "u"),
                          TooManyRequests("slow down", 2), TooLargeResourceVersion(2, 1, 1)}) {
    const Status back = Status::FromTree(s.ToTree());
    EXPECT_EQ(Json(back), Json(s));
    EXPECT_EQ(back.ok(), s.ok());
    EXPECT_EQ(back.details->continue_token, s.details->continue_token);
  }
  EXPECT_EQ(Status::FromTree(Yaml("{kind: Status, status: Success}")).code, 200);
}

// The reason decides; the code counts only where the reason is empty or unknown.
TEST(Status, Classification) {
  EXPECT_TRUE(IsNotFound(NotFound(kPods, "x")));
  EXPECT_TRUE(IsNotFound(Unmapped(404, "x")));
  EXPECT_FALSE(IsNotFound(Unmapped(500, "x")));
  Status renamed = NotFound(kPods, "x");
  renamed.reason = "Gone";
  EXPECT_FALSE(IsNotFound(renamed));
  renamed.reason = "NewReason";
  EXPECT_TRUE(IsNotFound(renamed));

  EXPECT_TRUE(IsAlreadyExists(AlreadyExists(kPods, "x")));
  EXPECT_FALSE(IsConflict(AlreadyExists(kPods, "x")));
  EXPECT_TRUE(IsConflict(Unmapped(409, "x")));
  EXPECT_FALSE(IsAlreadyExists(Unmapped(409, "x")));
  EXPECT_TRUE(IsInvalid(Invalid("", "Pod", "x", {})));
  EXPECT_TRUE(IsForbidden(Forbidden(kPods, "", "x")));
  EXPECT_TRUE(IsTooManyRequests(TooManyRequests("x", 1)));
  EXPECT_TRUE(IsInternalError(InternalError("x")));
  EXPECT_TRUE(IsTimeout(TimeoutError("x", 0)));
  EXPECT_TRUE(IsBadRequest(BadRequest("x")));
  EXPECT_TRUE(IsUnauthorized(Unauthorized()));
  EXPECT_TRUE(IsMethodNotSupported(MethodNotSupported(kPods, "x")));
  EXPECT_TRUE(IsServiceUnavailable(ServiceUnavailable("x")));
  EXPECT_TRUE(IsServerTimeout(ServerTimeout(kPods, "x", 0)));
  EXPECT_FALSE(IsInternalError(ServerTimeout(kPods, "x", 0)));
}

// API-36
TEST(Status, ExpiredAndGone) {
  EXPECT_TRUE(IsExpired(Expired("x")));
  EXPECT_FALSE(IsGone(Expired("x")));
  EXPECT_FALSE(IsExpired(Unmapped(410, "x")));
  EXPECT_TRUE(IsGone(Unmapped(410, "x")));
}

TEST(Status, TransportFailuresAreNoAnswers) {
  for (const Status& s : {ConnectionRefused(), RequestTimedOut(), ConnectionLost()}) {
    EXPECT_FALSE(s.ok());
    EXPECT_EQ(s.code, 0);
    EXPECT_FALSE(IsTimeout(s));
    EXPECT_FALSE(IsInternalError(s));
    EXPECT_FALSE(s.message.empty());
  }
  EXPECT_TRUE(IsConnectionRefused(ConnectionRefused()));
  EXPECT_FALSE(IsConnectionRefused(ConnectionLost()));
  EXPECT_TRUE(IsRequestTimedOut(RequestTimedOut()));
  EXPECT_TRUE(IsConnectionLost(ConnectionLost()));
}

TEST(Status, SuggestedDelay) {
  EXPECT_EQ(SuggestedDelay(TooManyRequests("x", 3)), 3);
  EXPECT_EQ(SuggestedDelay(ServerTimeout(kPods, "x", 0)), 0);
  EXPECT_EQ(SuggestedDelay(BadRequest("x")), std::nullopt);
}

TEST(Status, ResultIsAnAnswerOrAStatus) {
  Result<std::string> answer(std::string("yes"));
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(*answer, "yes");
  EXPECT_EQ(answer->size(), 3u);
  EXPECT_EQ(std::move(answer).value(), "yes");
  const Result<std::string> refused(NotFound(kPods, "x"));
  EXPECT_FALSE(refused.ok());
  EXPECT_TRUE(IsNotFound(refused.status()));
}

}  // namespace
}  // namespace ksim::api
