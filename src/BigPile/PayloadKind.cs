namespace BigPile;

/// <summary>What a payload is.</summary>
public enum PayloadKind
{
    /// <summary>Text, stored without the codec.</summary>
    String = 1,

    /// <summary>Bytes, stored without the codec.</summary>
    Bytes = 2,

    /// <summary>An object graph, stored by the codec.</summary>
    Object = 3,

    /// <summary>A key and its value, which belong to a table.</summary>
    TableEntry = 4,
}
