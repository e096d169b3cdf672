namespace BigPile.Layout;

/// <summary>What a version does with a pile that makes use of a feature which it does not know.</summary>
internal enum FeatureWord
{
    /// <summary>It opens the pile.</summary>
    Ignore,

    /// <summary>It opens the pile for reading only.</summary>
    ReadOnly,

    /// <summary>It does not open the pile.</summary>
    Refuse,
}
