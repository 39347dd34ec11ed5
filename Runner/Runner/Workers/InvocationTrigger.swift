/// What made a function run.
enum InvocationTrigger: String, Sendable {
  case http, queue, notify, schedule
}
