using System;
using System.Text;
using System.Threading.Tasks;
using BigPile.Http.Protocol;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.Primitives;

namespace BigPile.Http.Security;

/// <summary>
/// Lets a request pass whose key has what the request needs; answers all others with 401, 403, 429, or 404 on the wrong port, and 421 and
/// 403 where a browser was led here.
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
            context.Features.Set(key); // for what a key may have of its own
        if (context.Features.Get<KeyLogFeature>() is { } feature)
            feature.Key = key.Name;
        return next(context);
    }

    // The fast door takes the permit before it knows whether it can answer: who comes from there has paid.
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

    // What is too long, not ASCII or there twice is nobody's credential, and is refused as such.
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
