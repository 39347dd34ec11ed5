/// Events about the rows of the demo, as documents.
enum RowEvent {
  static let feedback = "c0000000-0000-4000-8000-000000000001"
  static let comment = "c1000000-0000-4000-8000-000000000001"
  static let vote = "c2000000-0000-4000-8000-000000000001"

  /// A CloudEvent about a row.
  static func event(
    _ type: String, _ table: String, record: String, oldRecord: String = "null", id: String = "e1",
    source: String = "/test", actor: String? = nil
  ) -> String {
    let extensions = actor.map { #","actorid":"\#($0)""# } ?? ""
    return """
      {"specversion":"1.0","id":"\(id)","source":"\(source)","type":"dev.push-functions.row"\(extensions),
       "data":{"type":"\(type)","table":"\(table)","schema":"public","record":\(record),"old_record":\(oldRecord)}}
      """
  }

  static func feedbackCreated(actor: String? = nil) -> String {
    event("INSERT", "feedbacks", record: #"{"id":"\#(feedback)"}"#, actor: actor)
  }

  static func commentAdded(_ id: String = "e1", source: String = "/test", actor: String? = nil) -> String {
    let record = #"{"id":"\#(comment)","feedback_id":"\#(feedback)"}"#
    return event("INSERT", "comments", record: record, id: id, source: source, actor: actor)
  }

  static func voteCast(_ id: String = "e1", actor: String? = nil) -> String {
    event("INSERT", "votes", record: #"{"id":"\#(vote)","feedback_id":"\#(feedback)"}"#, id: id, actor: actor)
  }

  static func statusChanged(
    from old: String = "approved", to new: String = "in_progress", _ id: String = "e1", actor: String? = nil
  ) -> String {
    event(
      "UPDATE", "feedbacks", record: #"{"id":"\#(feedback)","status":"\#(new)"}"#,
      oldRecord: #"{"id":"\#(feedback)","status":"\#(old)"}"#, id: id, actor: actor)
  }
}
