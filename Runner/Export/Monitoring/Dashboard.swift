import Manifest

extension Deployment {
  /// A dashboard of Grafana that asks for its Prometheus when it is imported.
  var dashboard: String {
    let own = manifest.metrics.map(\.name).map { view in
      (
        title: view, expression: "max by (__name__, state, reason, kind, app, provider) (\(view))", legend: "__auto",
        unit: "short"
      )
    }
    let panels = (Self.panels + own).enumerated().map { index, panel in
      Self.panel(index, panel.title, panel.expression, panel.legend, panel.unit)
    }
    return """
      {
        "title": "Push Functions: \(name)",
        "uid": "\(name.prefix(40))",
        "schemaVersion": 39,
        "version": 1,
        "refresh": "30s",
        "time": {"from": "now-6h", "to": "now"},
        "tags": ["push-functions"],
        "templating": {
          "list": [{"name": "source", "label": "Prometheus", "type": "datasource", "query": "prometheus"}]
        },
        "panels": [
      \(panels.joined(separator: ",\n"))
        ]
      }
      """
  }

  private static let panels: [(title: String, expression: String, legend: String, unit: String)] = [
    ("Runners", "sum(push_runner_up)", "runners", "short"),
    ("Oldest event", "max by (function) (push_runner_oldest_event_age_seconds)", "{{function}}", "s"),
    ("Waiting events", "max by (function) (push_runner_events_waiting)", "{{function}}", "short"),
    (
      "Ended a second", "sum by (function, outcome) (rate(push_runner_invocations_total[5m]))",
      "{{function}} {{outcome}}",
      "ops"
    ),
    (
      "Time of 95 % of the invocations",
      "histogram_quantile(0.95, sum by (function, le) (rate(push_runner_invocation_duration_seconds_bucket[5m])))",
      "{{function}}", "s"
    ),
    ("Dead letters", "max by (function) (push_runner_dead_letters)", "{{function}}", "short"),
    ("To be tried again", "max by (function) (push_runner_retries)", "{{function}}", "short"),
    ("Late schedules", "max by (schedule) (push_runner_schedule_lag_seconds)", "{{schedule}}", "s"),
    ("HTTP answers a second", "sum by (status) (rate(push_runner_http_requests_total[5m]))", "{{status}}", "reqps"),
    ("Processes", "sum by (function) (push_runner_processes)", "{{function}}", "short"),
    ("Lost spans a second", "rate(push_runner_spans_lost_total[5m])", "{{instance}}", "short"),
    ("Memory of the runners", "process_resident_memory_bytes", "{{instance}}", "bytes"),
  ]

  private static func panel(
    _ index: Int, _ title: String, _ expression: String, _ legend: String, _ unit: String
  ) -> String {
    [
      "{", "  \"id\": \(index + 1),", "  \"title\": \"\(title)\",", "  \"type\": \"timeseries\",",
      "  \"datasource\": {\"type\": \"prometheus\", \"uid\": \"${source}\"},",
      "  \"gridPos\": {\"h\": 8, \"w\": 12, \"x\": \(index % 2 * 12), \"y\": \(index / 2 * 8)},",
      "  \"fieldConfig\": {\"defaults\": {\"unit\": \"\(unit)\"}, \"overrides\": []},",
      "  \"targets\": [{\"refId\": \"A\", \"expr\": \"\(expression)\", \"legendFormat\": \"\(legend)\"}]", "}",
    ].indented(by: 4)
  }
}
