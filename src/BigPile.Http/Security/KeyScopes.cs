using System;

namespace BigPile.Http.Security;

/// <summary>What the holder of an API key may do. None includes another.</summary>
[Flags]
public enum KeyScopes
{
    /// <summary>Nothing.</summary>
    None = 0,

    /// <summary>Read entries, keys and reports.</summary>
    Read = 1,

    /// <summary>Put, change and remove entries.</summary>
    Write = 2,

    /// <summary>Create, alter and drop tables, and run operations on the whole pile.</summary>
    Admin = 4,
}
