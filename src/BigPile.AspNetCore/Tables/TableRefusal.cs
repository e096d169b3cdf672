namespace BigPile.AspNetCore.Tables;

/// <summary>Why a table can't be created, changed or put into, for any protocol.</summary>
/// <param name="Reason">The reason.</param>
/// <param name="Detail">Details for the client.</param>
/// <param name="Limit">The limit that was reached, if any.</param>
internal sealed record TableRefusal(TableRefusalReason Reason, string? Detail = null, long Limit = 0)
{
    internal static readonly TableRefusal OtherKeyType = new(TableRefusalReason.OtherKeyType);

    internal static readonly TableRefusal OpaqueValue = new(TableRefusalReason.OpaqueValue);

    internal static TableRefusal TooMany(string detail, long limit) => new(TableRefusalReason.TooMany, detail, limit);
}

/// <summary>Why a table can't be created, changed or put into.</summary>
internal enum TableRefusalReason
{
    /// <summary>Its keys are not text.</summary>
    OtherKeyType,

    /// <summary>Its values are the application's own objects.</summary>
    OpaqueValue,

    /// <summary>The limit of tables is reached.</summary>
    TooMany,
}
