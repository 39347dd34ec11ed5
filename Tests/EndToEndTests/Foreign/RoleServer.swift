/// A server on which the bundle serves as a role that owns nothing.
enum RoleServer: CaseIterable, Sendable {
  case plain
  /// With Supabase's roles and default privileges.
  case supabase

  /// The role that serves, which `runner migrate --grant` lets in.
  static let role = "functions"

  /// The role that an app writes as: it owns nothing either.
  var appRole: String { self == .plain ? "app" : "service_role" }

  /// The statements that make its other roles.
  var roles: String {
    switch self {
    case .plain: "CREATE ROLE app"
    case .supabase: "CREATE ROLE anon; CREATE ROLE authenticated; CREATE ROLE service_role BYPASSRLS"
    }
  }

  /// The script that runs in each database before an app makes its tables, in `Tests/FunctionTests/Databases`.
  var script: String? { self == .plain ? nil : "supabase" }

  /// The statements that run when the app has made them.
  var grants: String {
    switch self {
    case .plain: "GRANT ALL ON ALL TABLES IN SCHEMA public TO app; GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO app"
    case .supabase: ""
    }
  }
}
