/// What made a function run.
package enum InvocationTrigger: String, Sendable {
  case http, queue, notify, schedule
}
