using Microsoft.AspNetCore.Http;

namespace BigPile.Http.Security;

/// <summary>What the log says of a request's key: a feature of the requests that are logged, and of those that are refused.</summary>
internal sealed class KeyLogFeature
{
    /// <summary>
    /// The name of the key that the request proved, or, where it is refused, claimed in vain; one that there is. <see langword="null"/>: of
    /// none.
    /// </summary>
    internal string? Key { get; set; }

    /// <summary>Why the request was refused; <see langword="null"/>: it was not.</summary>
    internal string? Refusal { get; private set; }

    /// <summary>Notes that a request is refused.</summary>
    internal static void RecordRefusal(HttpContext context, string? key, string reason)
    {
        KeyLogFeature? feature = context.Features.Get<KeyLogFeature>();
        if (feature == null)
            context.Features.Set(feature = new KeyLogFeature());
        feature.Key = key;
        feature.Refusal = reason;
    }
}
