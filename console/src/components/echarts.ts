import { BarChart, LineChart } from "echarts/charts";
import {
  AriaComponent,
  BrushComponent,
  GridComponent,
  ToolboxComponent,
  TooltipComponent,
} from "echarts/components";
import * as echarts from "echarts/core";
import { CanvasRenderer } from "echarts/renderers";

echarts.use([
  AriaComponent,
  BarChart,
  CanvasRenderer,
  GridComponent,
  LineChart,
  TooltipComponent,
  // Kumo's charts refer to these, even without a range selection.
  BrushComponent,
  ToolboxComponent,
]);

// The figures are there at once: an animation delays their reading.
echarts.registerPreprocessor((option) => {
  option["animation"] = false;
});

/** The library of charts, with the parts for charts of the console. */
export { echarts };
