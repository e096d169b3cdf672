namespace BigPile.AspNetCore.Tables;

/// <summary>Why a table can't be made, altered or put into, whatever protocol its client speaks.</summary>
/// <param name="Reason">The reason.</param>
/// <param name="Detail">What there is to say of it.</param>
/// <param name="Limit">The limit that stands against it, if one does.</param>
internal sealed record TableRefusal(TableRefusalReason Reason, string? Detail = null, long Limit = 0)
{
    internal static readonly TableRefusal OtherKeyType = new(TableRefusalReason.OtherKeyType);

    internal static readonly TableRefusal OpaqueValue = new(TableRefusalReason.OpaqueValue);

    internal static TableRefusal TooMany(string detail, long limit) => new(TableRefusalReason.TooMany, detail, limit);
}
