namespace BigPile.AspNetCore.Tables;

/// <summary>Why a table can't be made, altered or put into.</summary>
internal enum TableRefusalReason
{
    /// <summary>Its keys are not text.</summary>
    OtherKeyType,

    /// <summary>Its values are the application's own.</summary>
    OpaqueValue,

    /// <summary>There are as many tables as there may be.</summary>
    TooMany,
}
