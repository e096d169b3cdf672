using System;
using System.Text;
using System.Threading.Tasks;
using BigPile.Http.Protocol;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.Primitives;

namespace BigPile.Http.Security;

/// <summary>
/// Passes on requests whose key has the needed scope and tables. Refuses others with 401, 403 or 429, with 404 on the wrong port, and with
/// 421 or 403 if a browser was tricked into the request.
/// </summary>
internal sealed class KeyMiddleware(RequestDelegate next, KeyRing keys, AccessRules rules)
{
    private const string KeyHeader = "X-Api-Key";
    private const string Scheme = "Bearer ";
    private const string Challenge = "Bearer realm=\"BigPile\"";
    private const string WrongChallenge = Challenge + ", error=\"invalid_token\"";

    public Task InvokeAsync(HttpContext context)
    {
        if (rules.Clients is { } clients && RefusalOf(clients, context.Request) is { } refusal)
            return RefuseAsync(context, null, refusal);
        string rawTarget = context.Features.GetRequiredFeature<IHttpRequestFeature>().RawTarget;
        Span<char> buffer = stackalloc char[TableName.MaxLength];
        RequestNeed need = RequestNeed.Of(context.Request.Method, rawTarget, context.Request.Path, rules.OpenPath, buffer);
        if (need.Scope == KeyScopes.Admin && rules.AdminPort is { } port && context.Connection.LocalPort != port)
            return ProblemResponse.WriteAsync(context, ProblemCatalog.RouteNotFound);
        return !need.NeedsKey || keys.IsOpen ? next(context) : CheckAsync(context, need);
    }

    private static Problem? RefusalOf(ClientRules clients, HttpRequest request)
    {
        if (!clients.AllowsHost(request.Host.Value))
            return ProblemCatalog.HostNotServed;
        return clients.AllowsChange(request) ? null : ProblemCatalog.OriginForbidden;
    }

    private Task CheckAsync(HttpContext context, RequestNeed need)
    {
        Span<byte> buffer = stackalloc byte[CredentialText.MaxBytes];
        if (!TryReadCredential(context.Request.Headers, buffer, out ReadOnlySpan<byte> credential))
            return ChallengeAsync(context, null, ProblemCatalog.CredentialsMissing, Challenge);
        if (keys.Find(credential, out HeldKey? claimed) is not { } key)
            return ChallengeAsync(context, claimed, ProblemCatalog.CredentialsInvalid, WrongChallenge);
        if (!key.Has(need.Scope))
            return RefuseAsync(context, key, ProblemCatalog.ScopeMissing(key.Name, need.Scope.ToString().ToLowerInvariant()));
        if (need.Table.IsEmpty ? !need.IsForSome && !key.ReachesAll() : !key.Reaches(need.Table))
            return RefuseAsync(context, key, ProblemCatalog.TableForbidden(key.Name, need.Table));
        if (!IsCharged(context, key) && !key.TryTakePermit(out TimeSpan wait))
        {
            Problem limited = ProblemCatalog.RateLimited(key.Name);
            KeyLogFeature.RecordRefusal(context, key.Name, limited.Title);
            return RetryLater.AnswerAsync(context, limited, wait);
        }
        if (need.Scope != KeyScopes.Read || need.IsForSome)
            context.Features.Set(key); // for limits that belong to the key
        if (context.Features.Get<KeyLogFeature>() is { } feature)
            feature.Key = key.Name;
        return next(context);
    }

    // The fast path takes the permit before it knows whether it can answer; a request that it handed over has already paid.
    private static bool IsCharged(HttpContext context, HeldKey key) =>
        key.IsLimited && context.Features.Get<IHandoverFeature>() is { } handover && handover.TakePermit();

    private static Task ChallengeAsync(HttpContext context, HeldKey? claimed, Problem problem, string challenge)
    {
        context.Response.Headers.WWWAuthenticate = challenge;
        return RefuseAsync(context, claimed, problem);
    }

    private static Task RefuseAsync(HttpContext context, HeldKey? key, Problem problem)
    {
        KeyLogFeature.RecordRefusal(context, key?.Name, (key == null ? null : problem.Detail) ?? problem.Title);
        return ProblemResponse.WriteAsync(context, problem);
    }

    // A credential that is too long, not ASCII, or repeated is invalid.
    private static bool TryReadCredential(IHeaderDictionary headers, Span<byte> buffer, out ReadOnlySpan<byte> credential)
    {
        StringValues authorization = headers.Authorization;
        if (authorization.Count != 0 && (authorization[0] ?? "").StartsWith(Scheme, StringComparison.OrdinalIgnoreCase))
        {
            _ = CredentialText.TryReadBearer(BytesOf(authorization, buffer), out credential);
            return true;
        }
        StringValues key = headers[KeyHeader];
        credential = BytesOf(key, buffer);
        return key.Count != 0;
    }

    private static ReadOnlySpan<byte> BytesOf(StringValues header, Span<byte> buffer) =>
        header.Count == 1 && header[0] is { } text && text.Length <= buffer.Length && Ascii.IsValid(text)
            ? buffer[..Encoding.ASCII.GetBytes(text, buffer)]
            : default;
}

/// <summary>The key of a request, for the log: a feature of requests that are logged or refused.</summary>
internal sealed class KeyLogFeature
{
    /// <summary>The name of the existing key that the request proved, or claimed in vain; <see langword="null"/>: none.</summary>
    internal string? Key { get; set; }

    /// <summary>Why the request was refused; <see langword="null"/>: it was not refused.</summary>
    internal string? Refusal { get; private set; }

    /// <summary>Records that a request is refused.</summary>
    internal static void RecordRefusal(HttpContext context, string? key, string reason)
    {
        KeyLogFeature? feature = context.Features.Get<KeyLogFeature>();
        if (feature == null)
            context.Features.Set(feature = new KeyLogFeature());
        feature.Key = key;
        feature.Refusal = reason;
    }
}
