namespace BigPile.Layout;

/// <summary>What a version does with a pile that uses a feature that it does not know.</summary>
internal enum FeatureWord
{
    /// <summary>It opens the pile.</summary>
    Ignore,

    /// <summary>It opens the pile for reading only.</summary>
    ReadOnly,

    /// <summary>It does not open the pile.</summary>
    Refuse,
}
