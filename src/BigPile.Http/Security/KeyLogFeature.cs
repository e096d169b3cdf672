using Microsoft.AspNetCore.Http;

namespace BigPile.Http.Security;

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
