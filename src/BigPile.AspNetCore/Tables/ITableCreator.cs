namespace BigPile.AspNetCore.Tables;

/// <summary>A client that may create a limited number of tables.</summary>
internal interface ITableCreator
{
    /// <summary>The name under which its tables are counted.</summary>
    string Name { get; }

    /// <summary>The most tables of this creator; <see langword="null"/>: no limit.</summary>
    int? MaxTables { get; }
}
