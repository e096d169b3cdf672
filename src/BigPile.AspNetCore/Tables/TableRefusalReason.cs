namespace BigPile.AspNetCore.Tables;

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
